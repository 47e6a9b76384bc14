import Foundation
import ProgramTestSupport
import Testing

@testable import ServiceKit

@Suite struct TextFileTests {
    @Test func fileOfOneMebibyteIsReadAndALargerOneIsNot() throws {
        let folder = try TemporaryFolder()
        func write(_ count: Int) throws {
            try Data(repeating: UInt8(ascii: "#"), count: count).write(to: URL(filePath: folder("text")))
        }
        try write(1_048_576)
        #expect(try TextFile.text(at: folder("text"))?.utf8.count == 1_048_576)
        try write(1_048_577)
        let error = #expect(throws: ConfigurationError.self) { try TextFile.text(at: folder("text")) }
        #expect(error?.problem == "is larger than 1048576 bytes")
    }
}
