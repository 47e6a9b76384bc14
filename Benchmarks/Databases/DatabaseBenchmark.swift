import Glibc

/// The track's file, or the places database.
@main
enum DatabaseBenchmark {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        switch (words.first, words.dropFirst().first) {
        case ("history", nil): try await HistoryBenchmark.run()
        case ("places", let path?): try await PlacesBenchmark.run(path)
        default:
            print("usage: DatabaseBenchmark history | places DATABASE")
            exit(2)
        }
    }
}
