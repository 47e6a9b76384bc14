import Foundation
import Testing

@testable import Agent

/// What the session calls applications, by their desktop files.
@Suite struct ApplicationNamesTests {
    private let folder = NSTemporaryDirectory() + "application-names-\(UUID().uuidString)"

    private func write(_ text: String, _ path: String) throws {
        let file = URL(fileURLWithPath: "\(folder)/\(path)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func name(_ id: String, _ language: Language = .english) -> String? {
        let shared = "relative:\(folder)/first:\(folder)/second"
        let variables = ["XDG_DATA_HOME": folder + "/own", "XDG_DATA_DIRS": shared]
        return ApplicationNames(of: variables, language).name(of: id)
    }

    @Test func ownFileComesBeforeThoseOfTheSystem() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for place in ["second", "first", "own"] {
            try write("[Desktop Entry]\nName=\(place)\n", "\(place)/applications/org.example.map.desktop")
            #expect(name("org.example.map") == place)
        }
        #expect(name("org.example.other") == nil)
    }

    @Test func foldersAreTheSpecificationsWithoutVariables() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write("[Desktop Entry]\nName=Mine\n", ".local/share/applications/org.example.map.desktop")
        let variables = ["HOME": folder, "XDG_DATA_HOME": "", "XDG_DATA_DIRS": ""]
        #expect(ApplicationNames(of: variables, .english).name(of: "org.example.map") == "Mine")
    }

    @Test(arguments: [
        ("[Desktop Entry]\nName=Maps\nName[de]=Karten\n", Language.english, "Maps" as String?),
        ("[Desktop Entry]\nName=Maps\nName[de]=Karten\n", .german, "Karten"),
        ("[Desktop Entry]\nName = Maps\n", .german, "Maps"),
        ("[Other]\nName=Wrong\n[Desktop Entry]\nName=Maps\n[Desktop Action x]\nName=New\n", .english, "Maps"),
        ("[Desktop Entry]\nName=\n", .english, nil), ("Name=Maps\n", .english, nil), ("\u{0}\u{FFFD}", .english, nil),
    ])
    func nameIsThatOfTheEntryInTheLanguage(text: String, language: Language, expected: String?) {
        #expect(ApplicationNames(of: [:], language).name(in: text) == expected)
    }

    @Test(arguments: ["../outside", "a/b", "", ".hidden", "x\n", String(repeating: "x", count: 129)])
    func idThatNamesNoFileInTheFolderIsNotRead(id: String) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for path in ["outside", "applications/a/b", "applications/.hidden"] {
            try write("[Desktop Entry]\nName=x\n", "own/\(path).desktop")
        }
        #expect(name(id) == nil)
    }

    @Test func fileAboveTheLimitAndFIFOAreNotRead() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let text = "[Desktop Entry]\nName=Maps\n"
        let filling = String(repeating: "#", count: ApplicationNames.sizeLimit - text.utf8.count)
        try write(text + filling, "own/applications/full.desktop")
        try write(text + filling + "#", "own/applications/larger.desktop")
        #expect(mkfifo(folder + "/own/applications/pipe.desktop", 0o600) == 0)
        #expect(name("full") == "Maps" && name("larger") == nil && name("pipe") == nil)
    }
}
