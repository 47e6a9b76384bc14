import Authorization
import Foundation
import Testing

/// A subject is a user who can exist, or a service of the system, and nothing else.
struct SubjectTests {
    @Test(arguments: [
        "uid:0", "uid:1000", "uid:4294967294", "unit:navigator.service", #"unit:a-b:c_d.e\x2d@1.service"#,
        "bridge:nmea",
    ])
    func writtenFormIsReadBack(text: String) throws {
        let subject = try #require(Subject(text))
        #expect(subject.description == text)
        #expect(try JSONDecoder().decode([Subject].self, from: JSONEncoder().encode([subject])) == [subject])
    }

    @Test(arguments: [
        "", "1000", "uid:", "uid:-1", "uid:+1", "uid: 1", "uid:1 ", "uid:4294967296", "uid:4294967295", "uid:65534",
        "uid:٣", "uid:root", "UID:0", "gid:0", "unit:", "unit:.service", "unit:a.scope", "unit:a.service/",
        "unit:../a.service", "unit:a b.service", "unit:ä.service", "unit:a.service\n", "bridge:", "bridge:NMEA",
        "bridge:nmea ", "unit:a\0.service",
        "unit:" + String(repeating: "a", count: 248) + ".service",
    ])
    func whatCannotBeIsNone(text: String) {
        #expect(Subject(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Subject].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test func longestNameOfAUnitIsOne() {
        #expect(Subject("unit:" + String(repeating: "a", count: 247) + ".service") != nil)
    }
}
