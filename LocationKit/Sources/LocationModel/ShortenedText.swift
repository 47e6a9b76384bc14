extension String {
    /// As many whole characters from the beginning as fit into so many bytes of UTF-8.
    @_spi(Programs) public func shortened(toBytes limit: Int) -> String {
        var bytes = 0
        return String(
            prefix { character in
                bytes += character.utf8.count
                return bytes <= limit
            })
    }
}
