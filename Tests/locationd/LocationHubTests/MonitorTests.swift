import LocationHub
@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import Testing

/// What a monitor's client is told.
@Suite struct MonitorTests {
    @Test func openingHasTheStatusThenEachRegionUndecided() throws {
        var server = ServerDouble()
        let id = try server.monitor([.home, .work])
        #expect(server.updates(id).first?.status?.source == .stopped)
        #expect(server.updates(id).first?.region == nil)
        #expect(server.reports(id) == ["home unknown", "work unknown"])
        #expect(server.states(id) == [.stopped, .starting])
    }

    @Test func freshLocationDecidesAtOnce() throws {
        var server = ServerDouble()
        _ = server.watch()
        server.fix()
        let id = try server.monitor([.home, .work])
        #expect(server.reports(id) == ["work outside", "home unknown"] || server.reports(id).contains("work outside"))
        #expect(server.updates(id).compactMap(\.region?.location).allSatisfy { $0.sequence == 1 })
        server.pass(1)
        server.fix()
        #expect(Set(server.reports(id).suffix(2)).contains("home inside"))
    }

    @Test func staleLocationDecidesNothing() throws {
        var server = ServerDouble { $0.linger = 0 }
        let watch = server.watch()
        server.stay(metresEast: 0)
        server.end(watch)
        server.pass(60)
        let id = try server.monitor()
        #expect(server.reports(id) == ["home unknown"])
    }

    @Test func enteringAndLeavingAreToldWithTheirFixes() throws {
        var server = ServerDouble()
        let id = try server.monitor()
        for metres in [1000.0, 0, 1000, 0] { server.stay(metresEast: metres) }
        #expect(
            server.reports(id)
                == [
                    "home unknown", "home outside", "home inside entered", "home outside exited", "home inside entered",
                ])
        let sequences = server.updates(id).compactMap(\.region?.location?.sequence)
        #expect(sequences == sequences.sorted() && Set(sequences).count == 4)
        #expect(server.locations(id).isEmpty, "a monitor's client gets no plain locations")
    }

    @Test func fixesOfOneReceiverAreTakenOnceAndOthersNotAtAll() throws {
        var server = ServerDouble(sources: 2)
        let id = try server.monitor()
        server.stay(metresEast: 0)
        server.fix("/dev/gps1", rank: 1, metresEast: 5000)
        #expect(server.reports(id) == ["home unknown", "home inside"])
    }

    @Test func statusIsToldAsToAWatch() throws {
        var server = ServerDouble()
        let watch = server.watch()
        let id = try server.monitor()
        server.clear()
        server.tell(.condition(.connected(reason: "no antenna")))
        server.fix()
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.statuses(id) == server.statuses(watch))
        #expect(server.states(id) == [.searching, .tracking, .lost])
    }

    @Test func significantChangesAreTold() throws {
        var server = ServerDouble()
        // The monitor alone would let the sources rest between.
        _ = server.watch()
        let id = try server.monitor(nil) { request in
            request.subjects = MonitorSubjects(significantChange: SignificantChange(distance: 500))
        }
        server.fix()
        for metres in stride(from: 0.0, through: 2000, by: 100) { server.stay(metresEast: metres, fixes: 2) }
        let told = server.locations(id)
        #expect((4...5).contains(told.count))
        #expect(told.first?.sequence == 1)
    }

    @Test func stoppedServiceDecidesAnewWhenItGoesOn() throws {
        var server = ServerDouble()
        let id = try server.monitor()
        server.stay(metresEast: 0)
        server.setEnabled(false)
        #expect(!server.isDemanded)
        server.setEnabled(true)
        server.clear()
        server.stay(metresEast: 0)
        #expect(server.reports(id) == ["home inside"])
        server.setEnabled(false)
        server.setEnabled(true)
        server.clear()
        server.stay(metresEast: 3000)
        #expect(server.reports(id) == ["home outside exited"], "what changed meanwhile is an event")
    }

    @Test func endOfTheServiceIsTheLastReply() throws {
        var server = ServerDouble()
        let id = try server.monitor(name: "mine")
        server.stay(metresEast: 0)
        server.perform(server.hub.finish(reason: "stopping", at: server.now))
        #expect(server.updates(id).last?.isFinal == true)
        #expect(server.updates(id).last?.status?.reason == "stopping")
        #expect(server.hub.monitorCount == 0)
        #expect(server.kept.first?.memory.regions.first?.state == .inside)
    }

    @Test func clientThatReadsSlowlyMissesNothing() throws {
        var server = ServerDouble()
        let id = try server.monitor()
        server.stalled.insert(id)
        for _ in 0..<20 {
            server.stay(metresEast: 1000)
            server.stay(metresEast: 0)
        }
        #expect(server.reports(id).count < 5)
        server.read(id)
        #expect(server.reports(id).filter { $0 == "home inside entered" }.count == 20)
        #expect(server.reports(id).filter { $0 == "home outside exited" }.count == 19)
        #expect(server.disconnected.isEmpty)
    }

    @Test func clientThatNeverReadsIsLetGo() throws {
        var server = ServerDouble()
        let id = try server.monitor(name: "mine")
        server.stay(metresEast: 1000, fixes: 1)
        server.stalled.insert(id)
        var crossings = 0
        while server.disconnected.isEmpty, crossings < 1000 {
            server.stay(metresEast: 0)
            server.stay(metresEast: 1000)
            crossings += 2
        }
        #expect(server.disconnected == [id])
        #expect((256...300).contains(crossings))
        #expect(server.hub.monitorCount == 0)
        #expect(server.listed().first == "mine idle")
    }
}
