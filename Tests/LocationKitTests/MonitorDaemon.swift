import Foundation
import LocationInterface
import LocationKit
import Synchronization

/// A ``LiveDaemon`` that keeps monitors as the real one does, and tells of regions what the test says.
final class MonitorDaemon: Sendable {
    private struct State {
        var kept: [String: [Region]] = [:]
        var refusal: String?
    }

    private struct Call: Decodable {
        let method: String
        let parameters: MonitorParameters?
    }

    private struct Change: Decodable { let parameters: ChangeRegionsParameters }

    private let state: Mutex<State>
    let live: LiveDaemon

    init() throws {
        let keeper = Keeper()
        state = Mutex(State())
        live = try LiveDaemon { call, _ in keeper.answer?(call) }
        keeper.daemon = self
    }

    /// What is kept under a name.
    func kept(_ name: String) -> [String]? { state.withLock { $0.kept[name]?.map(\.identifier) } }

    func keep(_ regions: [Region], under name: String) { state.withLock { $0.kept[name] = regions } }

    /// The error that the next calls of `Monitor` are answered; `nil` answers them.
    func refuse(_ error: String?) { state.withLock { $0.refusal = error } }

    /// Tells every monitor of a region's state.
    func say(_ identifier: String, _ state: RegionState, _ event: RegionEvent? = nil) {
        let event = event.map { #","event":"\#($0.rawValue)""# } ?? ""
        live.say(
            #"{"continues":true,"parameters":{"region":{"identifier":"\#(identifier)","state":"\#(state.rawValue)"\#(event)}}}"#)
    }

    /// How often a method was called.
    func calls(of method: String) -> Int { live.calls.count { $0.contains(".\(method)\"") } }

    private final class Keeper: @unchecked Sendable {
        // Written once before anybody can connect.
        weak var daemon: MonitorDaemon?
        var answer: ((String) -> [String]?)? { daemon.map { daemon in { daemon.answer($0) } } }
    }

    private func answer(_ text: String) -> [String]? {
        let data = Data(text.utf8)
        guard let call = try? JSONDecoder().decode(Call.self, from: data) else { return nil }
        return state.withLock { state in
            switch call.method {
            case LocationInterface.Method.listMonitors: return [list(state.kept)]
            case LocationInterface.Method.changeRegions:
                guard let change = try? JSONDecoder().decode(Change.self, from: data).parameters else { return nil }
                let gone = Set((change.remove ?? []) + (change.add ?? []).map(\.identifier))
                state.kept[change.name, default: []].removeAll { gone.contains($0.identifier) }
                state.kept[change.name, default: []] += change.add ?? []
                return ["{}"]
            default:
                if let refusal = state.refusal { return [refusal] }
                if let name = call.parameters?.name, let regions = call.parameters?.regions { state.kept[name] = regions }
                let regions = call.parameters?.regions ?? call.parameters?.name.flatMap { state.kept[$0] } ?? []
                return [Replies.status()]
                    + regions.map {
                        #"{"continues":true,"parameters":{"region":{"identifier":"\#($0.identifier)","state":"unknown"}}}"#
                    }
            }
        }
    }

    private func list(_ kept: [String: [Region]]) -> String {
        let monitors = kept.map { name, regions in
            MonitorInformation(
                name: name, active: false, regions: regions, significantChange: nil, visits: false, reports: [])
        }
        let bytes = try? JSONEncoder().encode(ListMonitorsReply(monitors: monitors))
        return #"{"parameters":\#(String(decoding: bytes ?? Data("{}".utf8), as: UTF8.self))}"#
    }
}
