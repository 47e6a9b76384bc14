import ArgumentParser
import Testing

@testable import locctl

/// What is typed is understood, or what is wrong with it is named with what was probably meant.
struct CommandLineWordsTests {
    private func words(_ line: String) -> CommandLineWords {
        CommandLineWords(line.split(separator: " ").map(String.init))
    }

    @Test(arguments: [
        ("stauts", "unknown command 'stauts'; did you mean status?"),
        ("convert --socket /s x", "unknown option '--socket' of convert; `locctl convert --help` lists the options"),
        ("--socket /s stauts", "unknown command 'stauts'; did you mean status?"),
        ("nonsense --socket /s", "unknown command 'nonsense'; `locctl --help` lists the commands"),
        ("track stats", "unknown command 'track stats'; did you mean track status?"),
        ("track --trip 5 puase", "unknown command 'track puase'; did you mean track pause?"),
        ("get --timout 5", "unknown option '--timout' of get; did you mean --timeout?"),
        ("watch --evry=5", "unknown option '--evry' of watch; did you mean --every?"),
        ("track status --fiel x", "unknown option '--fiel' of track status; did you mean --file?"),
        ("status --frobnicate", "unknown option '--frobnicate' of status; `locctl status --help` lists the options"),
        ("--scoket /s status", "unknown option '--scoket'; did you mean --socket?"),
        ("place --lmit 3 -33.86 151.21", "unknown option '--lmit' of place; did you mean --limit?"),
        ("--socket", "a command is missing; `locctl help` lists the commands"),
        ("--socket /s", "a command is missing; `locctl help` lists the commands"),
    ])
    func mistakeNamesTheNearest(line: String, told: String) throws {
        let words = words(line)
        #expect(throws: (any Error).self) { _ = try Locctl.parseAsRoot(words.prepared) }
        #expect(words.mistake == told)
    }

    @Test(arguments: [
        ("help stauts", "unknown command 'stauts'; did you mean status?"), ("help get", nil), ("help", nil),
        ("help track statsu", "unknown command 'track statsu'; did you mean track status?"),
        ("help track status", nil), ("get", nil),
    ])
    func helpForACommandThereIsNotNamesTheNearest(line: String, told: String?) {
        #expect(words(line).mistakeInHelp == told)
    }

    /// The parser has the word for these.
    @Test(arguments: ["get --timeout", "get --timeout soon", "disconnect", "simulate 91 0", "watch --count 0"])
    func otherMistakesAreTheParsers(line: String) {
        let words = words(line)
        #expect(throws: (any Error).self) { _ = try Locctl.parseAsRoot(words.prepared) }
        #expect(words.mistake == nil)
    }

    @Test(arguments: [
        ("--socket /s --json status", "status --socket /s --json"),
        ("--json --socket=/s get", "get --socket=/s --json"),
        ("--socket /s convert r --format csv", "convert r --format csv"), ("--socket=/s fleet", "fleet"),
        ("--json --socket /s trips --stays", "trips --json --stays"), ("--socket /s web", "web"),
        ("--socket /s --help", "--help"), ("--socket /s help get", "help get"), ("--socket /s --version", "--version"),
        ("status --socket /s", "status --socket /s"), ("convert --socket /s", "convert --socket /s"),
        ("--nonsense get", "--nonsense get"), ("", ""),
    ])
    func leadingOptionsFollowTheCommand(line: String, prepared: String) {
        #expect(words(line).prepared.joined(separator: " ") == prepared)
    }

    /// Every command may be preceded by the socket, whether it asks the daemon or not.
    @Test func socketMayPrecedeEachCommand() throws {
        let tree = try #require(CommandTree.read(of: Locctl.self))
        #expect(tree.subcommands.count > 25)
        for command in tree.subcommands {
            let asksDaemon = command.takesValue("--socket") == true
            let words = asksDaemon ? [command.name, "--socket", "/s", "x"] : [command.name, "x"]
            #expect(
                CommandLineWords(["--socket", "/s", command.name, "x"]).prepared == words || command.name == "help")
        }
    }

    /// A minus does not make an option of a number that an option waits for.
    @Test func negativeNumberIsAValueOfEachOption() throws {
        let tree = try #require(CommandTree.read(of: Locctl.self))
        var count = 0
        for command in tree.subcommands {
            for option in command.options where option.hasPrefix("--") && command.takesValue(option) == true {
                count += 1
                let prepared = CommandLineWords([command.name, option, "-1.5", "x"]).prepared
                #expect(prepared == [command.name, "\(option)=-1.5", "x"])
            }
        }
        #expect(count > 50)
        #expect(words("track status --history-socket -1").prepared == ["track", "status", "--history-socket=-1"])
        let message = "--timeout -1 --max-age=-2"
        let get = try #require(try Locctl.parseAsRoot(words("get \(message)").prepared) as? GetCommand)
        #expect(get.timeout.value == -1 && get.maximumAge.value == -2)
    }

    @Test(arguments: [
        "place --json -33.86 151.21", "simulate -33.86 -151.21", "place -- --limit -3", "get --passive -1",
        "track -o -1", "watch --count 3",
    ])
    func otherWordsStayAsTheyAre(line: String) {
        #expect(words(line).prepared.joined(separator: " ") == line)
    }
}
