import Foundation
import Glibc

/// The iio-sensor-proxy of python3-dbusmock on a private bus, with a compass that the test turns.
package final class SensorProxy: Sendable {
    private static let (name, path) = ("net.hadess.SensorProxy", "/net/hadess/SensorProxy/Compass")
    private static let (compass, mock) = (name + ".Compass", "org.freedesktop.DBus.Mock")

    private let bus: PrivateBus
    private let folder: TemporaryFolder
    private let process: LoggedProcess

    /// Starts it and waits until it has its name.
    package init(on bus: PrivateBus, hasCompass: Bool = true, heading: Double = -1) throws {
        self.bus = bus
        folder = try TemporaryFolder()
        let template = try folder.write(Self.template, to: "compass_proxy.py")
        process = try LoggedProcess(
            AssistantProcess.interpreter,
            [
                "-m", "dbusmock", "--system", "--template", template,
                "--parameters", "{\"has_compass\": \(hasCompass), \"compass_heading\": \(heading)}",
            ], environment: bus.environment)
        let process = process
        try waitUntil("the sensor proxy is on the bus", details: { process.errors }) {
            if let code = process.exitCode { throw Failure("dbusmock ended with \(code): \(process.errors)") }
            let answer = try bus.call(
                "org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", "string:" + Self.name)
            return answer.contains("true")
        }
    }

    /// Points the compass somewhere, degrees; who has claimed it is told.
    package func turn(to degrees: Double) throws {
        try set("CompassHeading", "double:\(degrees)")
    }

    /// Turns it so many times, as fast as it can, up to `degrees`.
    package func spin(_ count: Int, endingAt degrees: Double) throws {
        try callMock("Spin", "uint32:\(count)", "double:\(degrees)")
    }

    /// The compass is lost, or found; who has claimed it is told.
    package func setPresence(_ isPresent: Bool) throws {
        try callMock("SetPresence", "boolean:\(isPresent)")
    }

    /// Tells who has claimed the compass of a heading, as a program that is not the proxy.
    package func forge(_ degrees: Double) throws {
        try callMock("Forge", "double:\(degrees)")
    }

    /// Tells who has claimed it that the heading is a text.
    package func sendNonsense() throws { try callMock("SendNonsense") }

    /// How many programs have claimed the compass.
    package var claims: Int {
        get throws {
            try callMock("GetInternalProperty", "string:CompassOwners").split(separator: ":1.").count - 1
        }
    }

    /// Answers nothing until ``resume()``.
    package func freeze() { process.signal(SIGSTOP) }
    package func resume() { process.signal(SIGCONT) }

    /// Ends it without a chance to say good-bye.
    package func kill() throws {
        process.signal(SIGKILL)
        _ = try process.wait()
    }

    private func set(_ property: String, _ value: String) throws {
        try callMock("SetInternalProperty", "string:" + Self.compass, "string:" + property, "variant:" + value)
    }

    @discardableResult
    private func callMock(_ method: String, _ arguments: String...) throws -> String {
        let call = try LoggedProcess(
            "dbus-send",
            [
                "--bus=" + bus.address, "--print-reply=literal", "--dest=" + Self.name, Self.path,
                Self.mock + "." + method,
            ]
                + arguments)
        guard try call.wait(within: 60) == 0 else { throw Failure("\(method): \(call.errors)\(process.errors)") }
        return call.output
    }

    /// dbusmock's template has the compass' methods on the object and the interface of the other sensors;
    /// iio-sensor-proxy has them on its own.
    private static let template = """
        import importlib
        import os

        import dbus
        import dbus.service

        base = importlib.import_module("dbusmock.templates.iio-sensors-proxy")
        globals().update({name: value for name, value in vars(base).items() if not name.startswith("__")})
        MAIN_OBJ = "\(path)"
        MAIN_IFACE = base.COMPASS_IFACE


        @dbus.service.method(base.COMPASS_IFACE, sender_keyword="sender")
        def ClaimCompass(self, sender):
            base.register_owner(self, self.compass_owners, sender)


        @dbus.service.method(base.COMPASS_IFACE, sender_keyword="sender")
        def ReleaseCompass(self, sender):
            base.unregister_owner(self.compass_owners, sender)


        def tell(self, properties):
            for owner in list(self.compass_owners):
                base.emit_properties_changed(self, base.COMPASS_IFACE, properties, owner)


        @dbus.service.method("\(mock)", in_signature="ud")
        def Spin(self, count, degrees):
            for number in range(count - 1):
                tell(self, {"CompassHeading": dbus.Double(number % 360)})
            self.compass_heading = degrees
            tell(self, {"CompassHeading": dbus.Double(degrees)})


        @dbus.service.method("\(mock)", in_signature="b")
        def SetPresence(self, present):
            self.has_compass = bool(present)
            tell(self, {"HasCompass": dbus.Boolean(present)})


        @dbus.service.method("\(mock)")
        def SendNonsense(self):
            tell(self, {"CompassHeading": dbus.String("north")})


        @dbus.service.method("\(mock)", in_signature="d")
        def Forge(self, degrees):
            stranger = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
            for owner in list(self.compass_owners):
                message = dbus.lowlevel.SignalMessage(MAIN_OBJ, dbus.PROPERTIES_IFACE, "PropertiesChanged")
                message.set_destination(owner)
                changed = {"CompassHeading": dbus.Double(degrees)}
                message.append(base.COMPASS_IFACE, changed, [], signature="sa{sv}as")
                stranger.send_message(message)
            stranger.flush()
            stranger.close()
        """
}
