@_spi(Programs) package import LocationModel
package import ServiceKit
import SimulatedSource

extension Configuration {
    /// The replay of a recording.
    package struct Replay: Sendable, Equatable {
        /// The path of the recording.
        package var file: String
        /// The replay speed: seconds of the recording per second.
        package var speed = 1.0
        /// Whether the replay starts again at the end.
        package var loop = false

        package init(file: String) { self.file = file }
    }
}

extension Configuration.Replay: SourceKind {
    package static let word = "replay"
    package static let statesPosition = false
    package static let draft = Self(file: "")

    package static let settings: [Setting<Self>] = [
        .init("file", \.file, .path, isRequired: true, "The recording."),
        .init("speed", \.speed, .number(0.01...1000, "times as fast"), "The factor of the speed of the playback."),
        .init("loop", \.loop, .boolean, "Whether the playback starts again at the end."),
    ]

    package func makeSource(named name: String, with parts: SourceParts) -> (any LocationSource)? {
        ReplaySource(name: name, path: file, speed: speed, loops: loop, clock: parts.clock)
    }
}
