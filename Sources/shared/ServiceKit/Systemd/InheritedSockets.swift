import Glibc

/// The listening sockets that systemd passes to a service, by name.
///
/// The caller closes them. Their paths and permissions belong to systemd, and remain when the service ends.
package struct InheritedSockets: Sendable, Equatable {
    package struct Socket: Sendable, Equatable {
        package let descriptor: Int32
        /// The address as systemd shows it: a path, or a name after `@`; empty for an internet address.
        package let path: String

        package var location: (path: String, descriptor: Int32) { (path, descriptor) }
    }

    private(set) package var sockets: [String: Socket] = [:]
    /// The names of the sockets that were neither required nor optional, which are closed.
    private(set) package var surplus: [String] = []

    package subscript(_ name: String) -> Socket? { sockets[name] }

    /// Takes the sockets that systemd passes, in any order, and sets close-on-exec.
    ///
    /// - Parameters:
    ///   - names: the names of all sockets, as ``ServiceEnvironment/socketNames()`` returns them.
    ///   - required: the names that have to be present if any socket is.
    ///   - optional: the names that may be present.
    ///   - internet: those of them that are TCP sockets.
    ///   - first: the descriptor of the first socket.
    /// - Throws: which name is missing or which socket is unusable, and what its unit lacks; all sockets are closed
    ///   then.
    package init(
        names: [String], required: [String], optional: [String] = [], internet: Set<String> = [], first: Int32 = 3
    ) throws(SystemdError) {
        let passed = zip(names, first...)
        for (name, descriptor) in passed {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            if (required + optional).contains(name), sockets[name] == nil {
                sockets[name] = Socket(descriptor: descriptor, path: Self.path(of: descriptor))
            } else {
                surplus.append(name)
                close(descriptor)
            }
        }
        guard !names.isEmpty, let fault = fault(names, required, internet) else { return }
        for socket in sockets.values { close(socket.descriptor) }
        throw fault
    }

    private func fault(_ names: [String], _ required: [String], _ internet: Set<String>) -> SystemdError? {
        if let missing = required.first(where: { sockets[$0] == nil }) {
            return SystemdError(
                "systemd passes no socket named \(missing), but \(names.joined(separator: ", ")); "
                    + "a running .socket unit of this service needs FileDescriptorName=\(missing)")
        }
        func isFit(_ name: String, _ socket: Socket) -> Bool {
            Self.isListening(socket.descriptor, in: internet.contains(name) ? [AF_INET, AF_INET6] : [AF_UNIX])
        }
        return sockets.sorted { $0.key < $1.key }.first { !isFit($0, $1) }.map { name, _ in
            let (kind, address) = internet.contains(name) ? ("TCP", "an address") : ("Unix stream", "a path")
            return SystemdError(
                "the socket \(name) from systemd is not a listening \(kind) socket; "
                    + "its .socket unit needs ListenStream= with \(address), and Accept=no")
        }
    }

    private static func isListening(_ descriptor: Int32, in families: [Int32]) -> Bool {
        option(SO_DOMAIN, of: descriptor).map(families.contains) == true && option(SO_ACCEPTCONN, of: descriptor) == 1
            && option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    private static func path(of descriptor: Int32) -> String {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.baseAddress.map { getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self), &size) } ?? -1
        }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        guard code == 0, address.sun_family == sa_family_t(AF_UNIX), Int(size) > start else { return "" }
        var bytes = withUnsafeBytes(of: &address) { Array($0.prefix(Int(size)).dropFirst(start)) }
        if bytes[0] == 0 { bytes[0] = UInt8(ascii: "@") }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
