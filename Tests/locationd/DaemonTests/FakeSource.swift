@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

@testable import locationd

/// A source that runs as long as it is told to, and counts.
final class FakeSource: LocationSource {
    struct Course: Sendable, Equatable {
        var starts = 0
        var ends = 0

        var isRunning: Bool { starts > ends }
    }

    let name: String
    let isCompass: Bool
    private let returnsEarly: Bool
    private let course = Latest(Course())

    /// - Parameter returnsEarly: it does not wait until it is cancelled.
    init(_ name: String, isCompass: Bool = false, returnsEarly: Bool = false) {
        self.name = name
        self.isCompass = isCompass
        self.returnsEarly = returnsEarly
    }

    var counters: [String: Int] { ["starts": course.current.value.starts] }

    func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        course.change { $0.starts += 1 }
        deliver(.condition(.connected(reason: name)))
        if !returnsEarly {
            let never = Latest(0)
            _ = await never.change(after: 1)
        }
        course.change { $0.ends += 1 }
    }

    /// Waits until so many runs have begun and ended.
    func reached(starts: Int, ends: Int) async -> Course {
        var (value, version) = course.current
        while value.starts < starts || value.ends < ends {
            version = await course.change(after: version)
            value = course.current.value
        }
        return value
    }
}
