import ClientTestSupport
import ProgramTestSupport
import Testing

/// Programs of the desktop's portal for locations, as those in a sandbox are; the portal itself is written for GeoClue.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct LocationPortalTests {
    private static let application = "org.example.Navigator"
    private static let tower = "[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n"

    @Test(arguments: [nil, application])
    func programSeesWhatTheDaemonSees(sandbox: String?) throws {
        let machine = try DrivenGeoClue()
        let portal = try LocationPortal(systemBus: machine.bus)
        if let sandbox { try portal.permit(sandbox, "EXACT") }
        let program = try portal.startProgram(in: sandbox)
        try ReportedLocation.expectSame(
            in: program, as: machine.watch, details: { portal.log.suffix(2000) + machine.bridge.errors })
        #expect(program.output.contains("response 0"), "\(program.output)")
        // The portal does not ask the store for a program outside a sandbox.
        #expect(portal.log.contains("got permission store accuracy: EXACT") == (sandbox != nil), "\(portal.log)")
        #expect(try machine.daemon.locctl("clients").output.contains("GeoClue: xdg-desktop-portal"))
        try machine.kill(program)
        #expect(machine.bridge.exitCode == nil)
    }

    @Test func permissionForACityIsTheGrid() throws {
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        let portal = try LocationPortal(systemBus: bus)
        try portal.permit(Self.application, "CITY")
        let program = try portal.startProgram(in: Self.application)
        let location = try waitUntil(
            "a location comes", details: { program.output + program.errors + portal.log.suffix(2000) + bridge.errors }
        ) { try ReportedLocation.all(in: program).first }
        #expect(abs(location.latitude - 48.8584) < 0.1 && location.latitude != 48.8584)
        #expect(location.accuracy >= 1000 && location.altitude == nil)
    }

    @Test func refusedProgramReachesNobody() throws {
        let daemon = try DaemonProcess(Self.tower)
        let bus = try PrivateBus()
        let bridge = try bus.serveGeoClue(from: daemon)
        let portal = try LocationPortal(systemBus: bus)
        try portal.permit(Self.application, "NONE")
        let program = try portal.startProgram(in: Self.application)
        try waitUntil("the response comes", details: { program.output + program.errors + portal.log.suffix(2000) }) {
            program.output.contains("response")
        }
        #expect(program.output.contains("response 1"), "\(program.output)")
        #expect(try !daemon.locctl("clients").output.contains("GeoClue:"))
        #expect(bridge.exitCode == nil)
    }
}
