import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import locationd

/// The kernel's files about batteries and chargers, as drivers write them and as they should not.
@Suite struct PowerSuppliesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("class")
    }

    private var reading: BatteryReading { PowerSupplies(path: folder("class")).reading }

    /// One supply, behind a symbolic link as in sysfs.
    private func add(_ name: String, _ files: [String: String]) throws {
        for (file, text) in files { try folder.write(text + "\n", to: "devices/\(name)/\(file)") }
        try FileManager.default.createSymbolicLink(
            atPath: folder("class/\(name)"), withDestinationPath: "../devices/\(name)")
    }

    private func battery(_ capacity: String?, _ status: String?, _ more: [String: String] = [:]) -> [String: String] {
        var files = ["type": "Battery", "present": "1"].merging(more) { $1 }
        files["capacity"] = capacity
        files["status"] = status
        return files
    }

    @Test func aDischargingBattery() throws {
        try add("AC", ["type": "Mains", "online": "0"])
        try add("BAT0", battery("57", "Discharging"))
        #expect(reading == .charge(percent: 57, isDischarging: true))
    }

    @Test(arguments: ["Charging", "Full", "Not charging"]) func aBatteryThatIsNotDrawnFrom(_ status: String) throws {
        try add("BAT0", battery("5", status))
        #expect(reading == .charge(percent: 5, isDischarging: false))
    }

    @Test func aChargerDecidesWhereTheGaugeDoesNotKnow() throws {
        try add("BAT0", battery("5", "Unknown"))
        #expect(reading == .charge(percent: 5, isDischarging: true))
        try add("usb", ["type": "USB", "online": "1"])
        #expect(reading == .charge(percent: 5, isDischarging: false))
    }

    @Test func aMachineWithoutBattery() throws {
        #expect(reading == .noBattery)
        try add("AC", ["type": "Mains", "online": "1"])
        #expect(reading == .noBattery)
        #expect(PowerSupplies(path: folder("nothing")).reading == .noBattery)
    }

    @Test func otherDevicesBatteriesAndEmptyBaysDoNotCount() throws {
        try add("mouse", battery("3", "Discharging", ["scope": "Device"]))
        try add("BAT1", battery("0", "Unknown", ["present": "0"]))
        try add("hid", ["type": "UPS", "capacity": "1", "status": "Discharging"])
        #expect(reading == .noBattery)
        try add("BAT0", battery("80", "Discharging", ["scope": "System"]))
        #expect(reading == .charge(percent: 80, isDischarging: true))
    }

    @Test func twoBatteriesCountByWhatTheyHold() throws {
        try add("BAT0", battery("20", "Unknown", ["energy_full": "30000000"]))
        try add("BAT1", battery("60", "Discharging", ["energy_full": "10000000"]))
        #expect(reading == .charge(percent: 30, isDischarging: true))
    }

    @Test func withoutCapacityTheEnergyTells() throws {
        try add("BAT0", battery(nil, "Discharging", ["energy_full": "40000000", "energy_now": "10000000"]))
        #expect(reading == .charge(percent: 25, isDischarging: true))
    }

    @Test(
        arguments: [
            "250", "-1", "101", "full", "", "5.5", " 5", "0x10", "99999999999999999999", "\u{1B}[31m", nil,
        ] as [String?])
    func whatIsNoChargeIsUnusable(_ capacity: String?) throws {
        try add("BAT0", battery(capacity, "Discharging"))
        guard case .unusable(let reason) = reading else {
            Issue.record("\(reading)")
            return
        }
        #expect(reason.hasPrefix("BAT0 claims a charge of ") && !reason.contains("\u{1B}"), "\(reason)")
    }

    @Test func energyThatCannotBeIsUnusable() throws {
        try add("BAT0", battery(nil, "Discharging", ["energy_full": "1", "energy_now": "9223372036854775807"]))
        guard case .unusable = reading else {
            Issue.record("\(reading)")
            return
        }
    }

    /// This machine's own, whatever it has: reading ends, and says something possible.
    @Test func theMachinesOwnFilesCanBeRead() {
        if case .charge(let percent, _) = PowerSupplies().reading { #expect((0...100).contains(percent)) }
    }
}
