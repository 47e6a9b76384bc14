import Glibc

/// A process, known by a descriptor of the kernel's: it means the same process when that is long gone and its number
/// is another's. It can be read from once the process has ended.
///
/// Ownership: the descriptor is this object's alone and is closed with it.
package final class ProcessDescriptor: Sendable {
    package let descriptor: Int32

    package init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}
