import AccessPoints
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// Answers the calls of `org.locationd.provider`: the daemon's, which is of the same user or root, or was let in by the
/// socket's mode.
struct ProviderAnswerer: CallAnswerer {
    /// Seconds after which a position that holds is sent again, with its age: before one that came each second counts
    /// as lost, which is after three.
    static let interval = 2.5

    let memory: PlaceMemory
    let clock: ServiceClock

    let description = ServiceDescription(
        vendor: "locationd", product: "locationd-nearby", version: Release.version, url: "man:locationd-nearby(8)",
        interfaces: [ProviderInterface.description])
    let interface = ProviderInterface.name

    func request(_ call: Call) throws(ErrorReply) -> ProviderInterface.LocateRequest {
        guard call.method == ProviderInterface.Method.locate else { throw .methodNotFound(call.method) }
        guard call.more else { throw .expectedMore }
        return try call.parameters(as: ProviderInterface.LocateRequest.self)
    }

    func answer(
        _ request: ProviderInterface.LocateRequest, for uid: UInt32, _ replies: CallReplies
    ) async throws(ErrorReply) -> any Encodable & Sendable {
        memory.demand.change { $0.calls += 1 }
        defer { memory.demand.change { $0.calls -= 1 } }
        do {
            while !Task.isCancelled {
                // Before the answer, so that no observation after it is missed.
                let version = memory.news.current.version
                try await replies.send(await reply())
                await waitForNews(after: version)
            }
        } catch {}
        throw cancelled
    }

    private func reply() async -> ProviderInterface.LocateReply {
        switch await memory.answer() {
        case .success(let answer):
            let coordinate = answer.estimate.coordinate
            return ProviderInterface.LocateReply(
                position: ProviderInterface.Position(
                    latitude: coordinate.latitude, longitude: coordinate.longitude,
                    horizontalAccuracy: answer.estimate.accuracy, age: max(0, clock.now().seconds(since: answer.time))))
        case .failure(let unknown): return ProviderInterface.LocateReply(reason: unknown.reason)
        }
    }

    /// Until there is a new observation, or the position is to be sent again.
    private func waitForNews(after version: Int) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await memory.news.change(after: version) }
            group.addTask { try? await Pause.sleep(for: .seconds(Self.interval)) }
            await group.next()
            group.cancelAll()
        }
    }
}
