/// The command by which users decide about their own programs.
@_spi(Programs) public enum OwnDecisionCommand {
    /// - Parameter longest: seconds for which it is to hold; `nil` for ever.
    @_spi(Programs) public static func text(whenInUse: Bool, isReduced: Bool, longest: Double?) -> String {
        var words = ["locctl authorize me"]
        if whenInUse { words.append("--when-in-use") }
        if isReduced { words.append("--reduced") }
        if let longest { words.append("--for \(Int(longest))s") }
        return words.joined(separator: " ")
    }
}
