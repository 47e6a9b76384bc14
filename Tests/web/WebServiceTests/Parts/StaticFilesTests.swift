import Foundation
import Glibc
import ProgramTestSupport
import Testing
import WebService

/// Files are found by their exact names, and nothing else is.
@Suite struct StaticFilesTests {
    private let folder: TemporaryFolder
    private let files: StaticFiles

    init() throws {
        folder = try TemporaryFolder()
        for name in [
            "index.html", "app.js", "text/de.json", "text/deeper/far.json", ".hidden.html", "notes.txt", "noextension",
        ] {
            try folder.write(name, to: "pages/\(name)")
        }
        try folder.write("secret", to: "secret.html")
        try folder.write("leaflet", to: "leaflet/leaflet.js")
        mkfifo(folder("pages/pipe.html"), 0o644)
        // Debian's packages link to files of others.
        symlink(folder("leaflet/leaflet.js"), folder("pages/linked.js"))
        symlink(folder("absent.js"), folder("pages/dangling.js"))
        var files = StaticFiles()
        try files.add(folder("pages"), under: "/")
        try files.add(folder("leaflet"), under: "/leaflet/")
        self.files = files
    }

    @Test(arguments: [
        ("/index.html", "index.html", "text/html; charset=utf-8"),
        ("/app.js", "app.js", "text/javascript; charset=utf-8"),
        ("/text/de.json", "text/de.json", "application/json"),
        ("/linked.js", "leaflet", "text/javascript; charset=utf-8"),
        ("/leaflet/leaflet.js", "leaflet", "text/javascript; charset=utf-8"),
    ])
    func fileHasItsContentAndType(path: String, content: String, type: String) throws {
        let file = try #require(files[path])
        let plain = try #require(file.plain)
        #expect(plain.bytes == Array(content.utf8))
        #expect(file.type == type && file.compressed == nil)
        #expect(plain.tag.hasPrefix("\"") && plain.tag.hasSuffix("\"") && plain.tag.count > 3)
    }

    @Test(arguments: [
        "", "/", "index.html", "//index.html", "/index.html/", "/INDEX.HTML", "/./index.html", "/text/../index.html",
        "/../secret.html",
        "/%2e%2e/secret.html", "/index%2Ehtml", "/index.html%00.js", "/index.html\0", "/..%2fsecret.html", "/text",
        "/text/", "/.hidden.html",
        "/notes.txt", "/noextension", "/pipe.html", "/dangling.js", "/text/deeper/far.json", "/leaflet.js",
        "/etc/passwd",
        "/\\..\\secret.html", "/..;/secret.html",
    ])
    func nothingElseIsAFile(path: String) {
        #expect(files[path] == nil)
    }

    @Test func tagChangesWithTheContent() throws {
        func tag() throws -> String {
            var files = StaticFiles()
            try files.add(folder("pages"), under: "/")
            return try #require(files["/app.js"]?.plain).tag
        }
        let first = try tag()
        #expect(try tag() == first)
        try folder.write("app.jt", to: "pages/app.js")
        #expect(try tag() != first)
    }

    @Test func compressedFileStandsBesideItsOwn() throws {
        try folder.write("small", to: "pages/app.js.gz")
        try folder.write("alone", to: "pages/world.geojson.gz")
        try folder.write("unknown", to: "pages/notes.txt.gz")
        var files = StaticFiles()
        try files.add(folder("pages"), under: "/")
        let both = try #require(files["/app.js"])
        #expect(both.plain?.bytes == Array("app.js".utf8) && both.compressed?.bytes == Array("small".utf8))
        #expect(both.type == "text/javascript; charset=utf-8" && both.plain?.tag != both.compressed?.tag)
        let alone = try #require(files["/world.geojson"])
        #expect(alone.plain == nil && alone.compressed?.bytes == Array("alone".utf8))
        #expect(alone.type == "application/geo+json")
        for path in ["/app.js.gz", "/world.geojson.gz", "/notes.txt", "/notes.txt.gz"] { #expect(files[path] == nil) }
    }

    @Test func missingFolderIsNamed() throws {
        var files = StaticFiles()
        let failure = #expect(throws: StaticFiles.Failure.self) { try files.add(folder("absent"), under: "/") }
        #expect(failure?.description == "\(folder("absent")) cannot be read: No such file or directory")
    }
}
