/// Why the bus cannot be used.
package enum BusFailure: Error, Equatable {
    /// There is no libsystemd.
    case noLibrary
    /// The bus cannot be reached, or has ended the connection; with the reason in words.
    case failed(String)
}
