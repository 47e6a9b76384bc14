import LocationHub
@_spi(Programs) import LocationModel

/// How sources are set up, run, and told.
extension SimulatedMachine {
    func setSources() {
        for source in sources { source.stop() }
        sources = (0..<random.integer(in: 1...3)).map { VirtualSource(rank: $0, name: "gpsd\($0)", machine: self) }
        lowPower = sources.count > 1 && random.chance(0.3) ? [sources[sources.count - 1].name] : []
        for source in sources {
            for number in 0..<random.integer(in: 0...2) { plug("/dev/tty\(source.rank)\(number)", into: source) }
        }
    }

    func plug(_ device: String, into source: VirtualSource) {
        let periods = [0.1, 0.2, 1, 1, 1, 1, 2, 4]
        let receiver = VirtualReceiver(device: device, period: random.pick(periods) ?? 1, at: time.trueUTC, &random)
        source.gpsd.receivers.append(receiver)
        tick(receiver, of: source)
    }

    private func tick(_ receiver: VirtualReceiver, of source: VirtualSource) {
        time.after(receiver.period) { [weak self, weak source, weak receiver] in
            guard let self, let source, let receiver else { return }
            if source.isRunning, !receiver.isSilent {
                source.gpsd.report(receiver.epoch(at: time.trueUTC, &random))
                source.read()
            }
            tick(receiver, of: source)
        }
    }

    func welcome() -> VirtualGPSD.Welcome {
        random.chance(0.9) ? .proper : random.pick([.wordless, .dumb, .foreign, .unwilling]) ?? .proper
    }

    /// As the source's thread does.
    func post(_ event: SourceEvent, from rank: Int) {
        if case .anomaly = event { return }
        expectedMailbox.post(event, from: rank)
        mailbox?.post(event, from: rank)
    }

    /// The ranks of the sources that are spared.
    var sparedRanks: Set<Int> { Set(sources.filter { spared.contains($0.name) }.map(\.rank)) }

    /// What the supervisor does when the demand changes, a little later.
    func follow(_ demand: Int) {
        wanted = demand
        let generation = generation
        time.after(0.01) { [weak self] in
            guard let self, generation == self.generation else { return }
            for source in sources {
                source.rank < wanted && !spared.contains(source.name) ? source.start() : source.stop()
            }
        }
    }
}
