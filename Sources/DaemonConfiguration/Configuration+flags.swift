extension Configuration {
    /// This configuration with what the command line says instead.
    ///
    /// A flag that names a source leaves no other. `--gpsd` keeps the silence time-out of the first gpsd there was,
    /// `--simulate` takes the first simulator there was or a default one.
    package func applying(_ flags: Flags) -> Configuration {
        var configuration = self
        if let level = flags.logLevel { configuration.service.logLevel = level }
        switch flags.source {
        case .gpsd(let address): configuration.replaceSources(withGPSDAt: address)
        case .simulator:
            let configured = sources.first { $0.kind is Simulator }
            configuration.sources = [configured ?? Source(Simulator())]
        case .replay(let file): configuration.sources = [Source(Replay(file: file))]
        case nil: break
        }
        return configuration
    }
}
