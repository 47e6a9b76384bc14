import Glibc
import Testing

/// Runs the tests of Swift Testing. SwiftPM takes a file of this name for the entry point, in place of one that it
/// makes by an index of the sources, in which it looks for tests of XCTest; there are none, and no index is written.
@main
enum TestEntryPoint {
    static func main() async {
        // SwiftPM runs the program for Swift Testing only if it is told to, because of this file.
        let arguments = CommandLine.arguments
        guard let option = arguments.firstIndex(of: "--testing-library"),
            arguments.dropFirst(option + 1).first == "swift-testing"
        else {
            print("no test is of XCTest: run `make test`, or `swift test --enable-swift-testing --disable-xctest`")
            exit(1)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
