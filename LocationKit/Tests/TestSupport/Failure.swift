/// Why the machinery of a test could not do its part.
///
/// It is thrown to the test, which records it; what is expected on another thread would belong to no test.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
