import LocationHub
import LocationModel
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
        #expect(server.hub.isDemanded)
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
        server.clear()
        server.tell(.condition(.connected(reason: "no device")))
        for (id, permission) in zip(ids, permissions) {
            #expect(server.statuses(id).map(\.authorization) == [permission.authorization])
            #expect(server.statuses(id).map(\.reason) == ["no device"])
        }
    }
}
