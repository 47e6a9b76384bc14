import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct PermissionTests {
    @Test func revocationIsToldAndEndsLocationsAtOnce() {
        var server = ServerDouble()
        let id = server.watch()
        server.fix()
        server.clear()
        server.permit(.denied, id)
        server.pass(1)
        server.fix()
        #expect(server.statuses(id).map(\.authorization) == [.denied])
        #expect(server.locations(id).isEmpty)
    }

    @Test func heldPositionsAreForgottenOnRevocation() {
        var server = ServerDouble()
        let id = server.watch {
            $0.heading = true
            $0.satellites = true
        }
        server.stalled = [id]
        server.fixes(2)
        server.tell(.satellites([Satellite(gnss: "GPS", id: 1, used: true)], device: "/dev/gps0", at: server.now))
        server.tell(.heading(Heading(), device: "/dev/gps0", at: server.now))
        server.clear()
        server.permit(.denied, id)
        server.permit(.granted, id)
        server.read(id)
        #expect(server.updates(id).allSatisfy { $0.status != nil && $0.location == nil })
        #expect(server.updates(id).allSatisfy { $0.satellites == nil && $0.heading == nil })
        #expect(server.statuses(id).suffix(2).map(\.authorization) == [.denied, .authorizedAlways])
    }

    @Test func grantedWatchSeesTheNextFix() {
        var server = ServerDouble()
        let id = server.watch(Permission(.notDetermined))
        #expect(server.demands.isEmpty, "undecided makes no demand")
        server.permit(.granted, id)
        #expect(server.demands == [true])
        server.fix()
        #expect(server.sequences(id) == [1])
    }

    @Test func samePermissionIsNoNews() {
        var server = ServerDouble()
        let id = server.watch()
        server.clear()
        server.permit(.granted, id)
        #expect(server.updates(id).isEmpty)
    }

    @Test func pendingDecisionIsNews() {
        var server = ServerDouble()
        let id = server.watch(Permission(.notDetermined))
        server.clear()
        server.permit(Permission(.notDetermined, isPending: true), id)
        #expect(server.statuses(id).map(\.authorizationPending) == [true])
    }

    @Test func revocationEndsDemandAfterLinger() {
        var server = ServerDouble()
        let id = server.watch()
        server.permit(.denied, id)
        #expect(server.isDemanded)
        server.pass(5)
        #expect(server.demands == [true, false])
    }

    @Test func neitherSkyNorHeadingReachTheDenied() {
        var server = ServerDouble()
        _ = server.watch()
        let id = server.watch(.denied) {
            $0.heading = true
            $0.satellites = true
        }
        server.fix()
        server.tell(.satellites([Satellite(gnss: "GPS", id: 1, used: true)], device: "/dev/gps0", at: server.now))
        server.tell(.heading(Heading(), device: "/dev/gps0", at: server.now))
        #expect(server.updates(id).allSatisfy { $0.status != nil && $0.satellites == nil && $0.heading == nil })
    }

    @Test func everyoneHearsTheirOwnAuthorization() {
        var server = ServerDouble()
        let permissions = [Permission.granted, .denied, Permission(.notDetermined), Permission(.restricted)]
        let ids = permissions.map { server.watch($0) }
        #expect(zip(ids, permissions).allSatisfy { server.statuses($0).first?.authorization == $1.authorization })
        server.clear()
        server.tell(.condition(.connected(reason: "no device")))
        #expect(server.statuses(ids[0]).map(\.authorization) == [.authorizedAlways])
        #expect(server.statuses(ids[0]).map(\.reason) == ["no device"])
        // How the sources are is nothing to the others; that the service is switched off is.
        #expect(ids.dropFirst().allSatisfy { server.statuses($0).isEmpty })
        server.perform(server.hub.setEnabled(false, at: server.now))
        for (id, permission) in zip(ids, permissions).dropFirst() {
            #expect(server.statuses(id).map(\.authorization) == [permission.authorization])
            #expect(server.statuses(id).map(\.enabled) == [false])
        }
    }

    /// A client that is denied, or has reduced accuracy and makes no demand, is told nothing of the sources: neither
    /// when they run, nor by a reply that comes when that changes.
    @Test func sourcesAreNothingToWhoDoesNotMakeThemRun() throws {
        var server = ServerDouble()
        let reduced = Permission(.authorizedAlways, accuracy: .reduced)
        let idle = [
            server.watch(.denied), server.watch(Permission(.notDetermined)), server.watch(Permission(.restricted)),
            server.watch(reduced) { $0.passive = true },
        ]
        #expect(idle.allSatisfy { server.statuses($0).map(\.source) == [.stopped] })
        server.clear()
        let watch = server.watch()
        server.tell(.condition(.connected(reason: "searching")))
        server.fixes(3)
        server.pass(60)
        server.end(watch)
        server.pass(60)
        for id in idle { #expect(server.statuses(id).isEmpty) }
        for permission in [Permission.denied, Permission(.restricted), reduced] {
            _ = server.watch()
            let status = server.hub.status(for: permission, at: server.now)
            #expect(status.source == .stopped && status.reason == nil)
        }
        // Its own demand it sees the effect of.
        let own = server.watch(reduced)
        server.fix()
        #expect(server.statuses(own).last?.source == .tracking)
    }
}
