import Authorization
import ProgramTestSupport
import Testing

/// Which unit a control group belongs to, in trees of the test's own.
struct ControlGroupTreeTests {
    @Test(
        arguments: [
            ("system.slice/navigator.service", "navigator.service"),
            (#"system.slice/system-foo\x2dbar.slice/foo@1.service"#, "foo@1.service"),
            ("system.slice/a.slice/a-b.slice/c.service", "c.service"),
            ("system.slice/outer.service/other.service", "outer.service"),
            ("system.slice/outer.service/x/y.slice/z.scope", "outer.service"),
            ("system.slice", nil),
            ("system.slice/system-foo.slice", nil),
            ("system.slice/run-1.scope", nil),
            ("system.slice/run-1.scope/forged.service", nil),
            ("system.slice/plain/forged.service", nil),
            ("system.slice/home.mount", nil),
            ("system.slice/.service", nil),
            ("system.slice/not a name.service", nil),
            ("user.slice/forged.service", nil),
            ("user.slice/user-1000.slice/system.slice/forged.service", nil),
            ("user.slice/app-org.gnome.Maps-1.scope", nil),
            ("forged.service", nil),
            ("init.scope", nil),
        ] as [(String, String?)])
    func unitIsTheFirstServiceBelowTheSystemsSlices(_ group: String, _ unit: String?) throws {
        let tree = try FakeTree(["system.slice/first.service", group, "system.slice/last.service"])
        #expect(ControlGroupTree(roots: [tree.path]).unit(of: try tree.number(group)) == .value(unit))
    }

    @Test func firstPlaceThatIsAHierarchyCounts() throws {
        let plain = try TemporaryFolder()
        let tree = try FakeTree(["system.slice/a.service"])
        let other = try FakeTree(["system.slice/b.service"])
        let units = ControlGroupTree(roots: ["/nowhere", plain.path, tree.path, other.path])
        #expect(units.isMounted)
        #expect(units.unit(of: try tree.number("system.slice/a.service")) == .value("a.service"))
        #expect(units.unit(of: try other.number("system.slice/b.service")) == .value(nil))
    }

    @Test func withoutAHierarchyUnitsAreNotTold() throws {
        let units = ControlGroupTree(roots: [try TemporaryFolder().path])
        #expect(!units.isMounted)
        #expect(units.unit(of: 1) == .unsupported)
    }

    @Test func withoutTheSystemsSliceThereIsNoUnit() throws {
        let tree = try FakeTree(["user.slice"])
        let units = ControlGroupTree(roots: [tree.path])
        #expect(units.unit(of: try tree.number("user.slice")) == .value(nil))
    }

    @Test func treeThatCannotBeReadSaysNothing() throws {
        let tree = try FakeTree()
        try tree.makeFile("system.slice")
        let units = ControlGroupTree(roots: [tree.path])
        #expect(units.unit(of: 1) == .failed)
        // Nor is that kept for true.
        let other = try FakeTree()
        tree.rename("system.slice", to: "kept")
        try tree.make("system.slice/a.service")
        #expect(units.unit(of: try tree.number("system.slice/a.service")) == .value("a.service"))
        #expect(units.unit(of: try other.number("")) == .value(nil))
    }

    @Test func whatWasFoundIsKept() throws {
        let tree = try FakeTree(["system.slice/a.service", "system.slice/b.scope"])
        let units = ControlGroupTree(roots: [tree.path])
        let (service, scope) = (try tree.number("system.slice/a.service"), try tree.number("system.slice/b.scope"))
        #expect(units.unit(of: service) == .value("a.service"))
        #expect(units.unit(of: scope) == .value(nil))
        // Neither can happen to a real one while it has processes.
        tree.rename("system.slice/a.service", to: "system.slice/a")
        tree.rename("system.slice/b.scope", to: "system.slice/b.service")
        #expect(units.unit(of: service) == .value("a.service"))
        #expect(units.unit(of: scope) == .value(nil))
    }

    @Test func whatIsKeptIsBounded() throws {
        let tree = try FakeTree(["system.slice/a.service"])
        let units = ControlGroupTree(roots: [tree.path])
        let service = try tree.number("system.slice/a.service")
        #expect(units.unit(of: service) == .value("a.service"))
        tree.remove("system.slice/a.service")
        // Numbers that no directory has.
        for number in 0..<4095 { _ = units.unit(of: .max - UInt64(number)) }
        #expect(units.unit(of: service) == .value("a.service"))
        _ = units.unit(of: .max - 4095)
        #expect(units.unit(of: service) == .value(nil))
    }

    @Test func serviceWithTooManyGroupsHarmsItselfAlone() throws {
        let tree = try FakeTree(["system.slice/last.service/below"])
        for number in 0..<1100 { try tree.make("system.slice/crowd.service/\(number)") }
        try tree.make("system.slice/crowd.service/deep/hidden")
        let units = ControlGroupTree(roots: [tree.path])
        #expect(units.unit(of: try tree.number("system.slice/crowd.service/deep/hidden")) == .value(nil))
        #expect(units.unit(of: try tree.number("system.slice/crowd.service")) == .value("crowd.service"))
        #expect(units.unit(of: try tree.number("system.slice/last.service/below")) == .value("last.service"))
    }
}
