package import ArgumentParser
package import Logging

/// The command line of a service: what is wrong with it is said in one line, and its values are read by the rules of
/// the configuration.
package protocol ServiceFlags: ParsableCommand {
    /// Whether the version is asked for, and nothing else.
    var showsVersion: Bool { get }
}

extension ServiceFlags {
    /// Why a command line is invalid, and what to do, in one line.
    ///
    /// - Parameter error: what the parser threw.
    /// - Returns: `nil` if help was asked for, which the parser reports as an error too.
    package static func mistake(_ error: any Error) -> String? {
        guard !exitCode(for: error).isSuccess else { return nil }
        let message = message(for: error)
        let isSentence = message.hasSuffix(".") || message.hasSuffix("?")
        let command = configuration.commandName ?? "the program"
        return "\(message)\(isSentence ? " See" : "; see") \(command) --help".onOneLine
    }

}

/// Values of options, by the rules of the configuration.
extension ParsableArguments {
    /// A text, such as a path, which may not be empty.
    package static func text(_ text: String) throws -> String {
        guard !text.isEmpty else { throw ValidationError("the value is empty") }
        return text
    }

    /// The least severe level that is logged.
    package static func level(_ text: String) throws -> Logger.Level {
        let levels = Rule<Logger.Level>.choice
        return try value("use \(levels.accepts)", Result { () throws(Refusal) in try levels.read(.text(text)) })
    }

    /// An address that only programs of this machine reach.
    package static func address(_ text: String) throws -> LoopbackAddress {
        guard let address = LoopbackAddress(text) else {
            throw ValidationError("use \(LoopbackAddress.accepted): others could not be identified")
        }
        return address
    }

    /// Makes the refusal of a value the parser's error.
    ///
    /// - Parameter remedy: what to do, where the refusal does not say it.
    package static func value<Value>(_ remedy: String, _ result: Result<Value, Refusal>) throws -> Value {
        switch result {
        case .success(let value): return value
        case .failure(let refusal): throw ValidationError("\(refusal.problem); \(refusal.remedy ?? remedy)")
        }
    }
}
