import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing
import WebService

/// What pages are sent of a real daemon's updates.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct LivePagesTests {
    @Test func laterPageBeginsWithTheNewestState() async throws {
        try await WebBench.run { bench, _ in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            let early = try await bench.page(cookie)
            try await early.await("locations and satellites") { _ in
                try early.locations().count > 2 && early.updates().contains { $0.satellites != nil }
            }
            let known = try #require(try early.locations().last)
            #expect(Set(early.chunkLengths()).isSubset(of: [1024, 4096, 8192]), "\(early.chunkLengths())")
            let late = try await bench.page(cookie)
            try await late.await("the first event") { !$0.isEmpty }
            let first = try #require(try late.updates().first)
            #expect(first.status?.authorization == .authorizedAlways && first.satellites?.isEmpty == false)
            let location = try #require(first.location)
            #expect(location.value.sequence >= known.value.sequence && location.age >= 0)
            #expect(try late.events()[0].id == "\(location.value.sequence)")
            // The page that was there is sent nothing twice.
            let sequences = try early.locations().map(\.value.sequence)
            #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
        }
    }

    @Test func twoHundredPagesCostTheDaemonOneWatch() async throws {
        try await WebBench.run {
            ($0.pagesPerUser, $0.connectionsPerUser) = (200, 300)
        } _: { bench, daemon in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            var pages: [LiveConnection] = []
            for _ in 0..<200 { pages.append(try await bench.page(cookie)) }
            for page in pages { try await page.await("a location") { _ in try !page.locations().isEmpty } }
            #expect(try await daemon.webWatches().map(\.principal) == ["uid:0"])
            // Another user's pages are that user's.
            let other = try await bench.page(try await bench.signIn())
            try await other.await("a status") { _ in try other.updates().contains { $0.status != nil } }
            #expect(try await Set(daemon.webWatches().map(\.principal)) == ["uid:0", "uid:\(WebBench.user.uid)"])
            pages.removeFirst(199)
            let last = try #require(pages.first)
            let count = try last.locations().count
            try await last.await("the last page goes on") { _ in try last.locations().count > count + 5 }
            pages = []
            #expect(!last.connection.isClosed)
        }
    }

    @Test func watchEndsWithItsLastPage() async throws {
        try await WebBench.run { bench, daemon in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            var pages = [try await bench.page(cookie), try await bench.page(cookie)]
            try await eventually("the watch") { try await daemon.webWatches().count == 1 }
            pages.removeFirst()
            let last = pages[0]
            try await last.await("a location") { _ in try last.locations().count > 2 }
            #expect(try await daemon.webWatches().count == 1)
            #expect(try await bench.request("POST", "/sign-out", bench.ownHeaders(cookie)).status == 204)
            // It was closed before the answer was sent.
            try await eventually("the page is closed", within: 10) { last.connection.isClosed }
            try await eventually("no watch", within: 10) { try await daemon.webWatches().isEmpty }
            // A new one begins anew.
            let again = try await bench.page(try await bench.signIn(as: WebBench.administrator))
            try await again.await("a location") { _ in try !again.locations().isEmpty }
        }
    }

    /// Signing out ends one browser's session, and no other.
    @Test func pagesOfOtherSessionsStayOpen() async throws {
        try await WebBench.run { bench, _ in
            let (own, other) = (try await bench.signIn(), try await bench.signIn())
            let (ended, kept) = (try await bench.page(own), try await bench.page(other))
            #expect(try await bench.request("POST", "/sign-out", bench.ownHeaders(own)).status == 204)
            try await eventually("the page is closed", within: 10) { ended.connection.isClosed }
            #expect(!kept.connection.isClosed)
            try await kept.await("the status") { _ in try !kept.updates().isEmpty }
        }
    }

    @Test func commentsKeepPagesOpen() async throws {
        try await WebBench.run {
            $0.reviewInterval = 0.1
        } _: { bench, _ in
            let page = try await bench.page(try await bench.signIn())
            try await eventually("comments") {
                page.connection.read()
                return String(decoding: page.connection.received, as: UTF8.self).split(separator: ": \n\n").count > 3
            }
            #expect(!page.connection.isClosed)
        }
    }

    /// The kernel's buffers are bounded, so what a page finds that reads again is little and then the newest.
    @Test func stalledPageIsToldWhatItMissedAndTheNewestAlone() async throws {
        let configuration = "[[sources]]\nkind = \"simulator\"\nrate = 20\n"
        try await WebBench.run(daemon: configuration) { bench, _ in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            let stalled = try await bench.page(cookie, receiveBuffer: 4096)
            let reading = try await bench.page(cookie)
            // Several times what the kernel and the server hold for a page.
            try await reading.await("many locations", within: 120) { _ in reading.connection.received.count > 250_000
            }
            let newest = try #require(try reading.locations().last)
            try await stalled.await("the newest") { _ in
                try stalled.locations().contains { $0.value.sequence >= newest.value.sequence }
            }
            let events = try stalled.events()
            let gap = try #require(events.firstIndex { $0.name == "dropped" })
            let counts = try events.filter { $0.name == "dropped" }.map {
                try #require($0.data.firstMatch(of: /"count":(\d+)/).flatMap { Int64($0.1) })
            }
            let count = try #require(counts.first)
            let before = try events[..<gap].compactMap { try $0.name == "update" ? $0.update().location : nil }
            let after = try #require(try events[(gap + 1)...].first?.update().location)
            // Each fix is sent or counted.
            #expect(after.value.sequence == (try #require(before.last)).value.sequence + count + 1)
            let older = try stalled.locations().filter { $0.value.sequence < newest.value.sequence }
            #expect(Int64(older.count) < counts.reduce(0, +), "old positions are sent as if they were new")
            let sequences = try stalled.locations().map(\.value.sequence)
            #expect(sequences == sequences.sorted())
            let next = try #require(try reading.locations().first { $0.value.sequence == after.value.sequence })
            #expect(after.age >= next.age, "it has waited")
        }
    }

    @Test func restartIsAnOutageThenUpdates() async throws {
        try await WebBench.run { bench, daemon in
            let cookie = try await bench.signIn(as: WebBench.administrator)
            let page = try await bench.page(cookie)
            try await page.await("locations") { _ in try page.locations().count > 2 }
            try await daemon.end()
            try await page.await("the outage") { $0.last?.name == "outage" }
            let known = try #require(try page.locations().last).value.sequence
            // A page that is opened meanwhile is shown no position.
            let late = try await bench.page(cookie)
            try await late.await("the outage") { !$0.isEmpty }
            #expect(try late.events().allSatisfy { $0.name == "outage" })
            try await blocking { try daemon.start() }
            try await page.await("new locations") { _ in try page.locations().contains { $0.value.sequence > known } }
            try await late.await("new locations") { _ in try !late.locations().isEmpty }
            let outage = try #require(try page.events().lastIndex { $0.name == "outage" })
            let first = try #require(try page.events()[(outage + 1)...].first)
            #expect(try first.name == "update" && first.update().status != nil)
            let sequences = try page.locations().map(\.value.sequence)
            #expect(
                sequences == sequences.sorted() && Set(sequences).count == sequences.count,
                "an old location is sent again")
            #expect(try late.locations().allSatisfy { $0.value.sequence >= known })
        }
    }

    @Test func revokedPermissionLeavesNoPosition() async throws {
        try await WebBench.run { bench, daemon in
            let cookie = try await bench.signIn()
            let page = try await bench.page(cookie)
            try await page.await("the status") { _ in try !page.updates().isEmpty }
            #expect(try page.updates().first?.status?.authorization == .notDetermined)
            #expect(try page.updates().allSatisfy { $0.location == nil && $0.satellites == nil })
            try await daemon.decide(.authorizedAlways)
            try await page.await("locations") { _ in try page.locations().count > 2 }
            try await daemon.decide(.denied)
            try await page.await("the denial") { _ in
                try page.updates().contains { $0.status?.authorization == .denied }
            }
            let late = try await bench.page(cookie)
            // Others are sent fixes meanwhile.
            let other = try await bench.page(try await bench.signIn(as: WebBench.administrator))
            try await other.await("locations of others") { _ in try other.locations().count > 10 }
            try await late.await("the status") { !$0.isEmpty }
            let updates = try page.updates()
            let denial = try #require(updates.firstIndex { $0.status?.authorization == .denied })
            for update in try updates[denial...] + late.updates() {
                #expect(update.location == nil && update.satellites == nil && update.heading == nil, "\(update)")
            }
            #expect(try late.updates().first?.status?.authorization == .denied)
        }
    }

    @Test func roughUserIsNotShownTheFullPositionOfBefore() async throws {
        try await WebBench.run { bench, daemon in
            let cookie = try await bench.signIn()
            try await daemon.decide(.authorizedAlways)
            let page = try await bench.page(cookie)
            try await page.await("locations and satellites") { _ in
                try page.locations().count > 2 && page.updates().contains { $0.satellites != nil }
            }
            try await daemon.decide(.authorizedAlways, .reduced)
            try await page.await("the status") { _ in try page.updates().contains { $0.status?.accuracy == .reduced } }
            let updates = try page.updates()
            let change = try #require(updates.firstIndex { $0.status?.accuracy == .reduced })
            let full = Set(updates[..<change].compactMap { $0.location?.value.coordinate })
            let late = try await bench.page(cookie)
            try await late.await("a rough location") { _ in try !late.locations().isEmpty }
            for update in try late.updates() {
                #expect(update.satellites == nil && update.status?.accuracy != .full)
                if let location = update.location?.value {
                    #expect(!full.contains(location.coordinate) && location.speed == nil)
                    #expect((location.horizontalAccuracy ?? 0) >= 1000)
                }
            }
        }
    }

    /// As where systemd's socket takes calls for a daemon that cannot start.
    @Test func silentDaemonIsAnOutage() async throws {
        let folder = try TemporaryFolder()
        let daemon = try SilentService(folder("control.sock"))
        var settings = WebSettings.unconnected
        settings.daemon = daemon.path
        try await WebBench.run(settings) { bench in
            let start = ContinuousClock.now
            let page = try await bench.page(try await bench.signIn(as: WebBench.administrator))
            try await page.await("the outage") { $0.contains { $0.name == "outage" } }
            #expect(ContinuousClock.now - start < .seconds(15))
            #expect(try page.events().count { $0.name == "outage" } == 1)
        }
    }
}
