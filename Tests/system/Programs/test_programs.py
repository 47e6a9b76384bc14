"""Differences from programs.toml that are planted in a copy of the repository's lists are found, each with its sentence."""

import importlib.machinery
import importlib.util
import pathlib
import shutil
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def check():
    loader = importlib.machinery.SourceFileLoader("programs", str(ROOT / ".ci/programs"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("programs", loader))
    loader.exec_module(module)
    return module


programs = check()


class Differences(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("systemd", "man", "config", "debian"):
            shutil.copytree(ROOT / name, self.root / name, symlinks=True)
        (self.root / "docs").mkdir()
        for name in ("programs.toml", "Package.swift", "README.md", "docs/ARCHITECTURE.md"):
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "Sources").symlink_to(ROOT / "Sources")

    def replace(self, name, old, new):
        text = (self.root / name).read_text()
        self.assertIn(old, text)
        (self.root / name).write_text(text.replace(old, new, 1))

    def found(self, *sentences):
        self.assertEqual(list(programs.differences(self.root)), list(sentences))

    def test_repository_has_none(self):
        self.found()

    def test_missing_unit_is_found(self):
        (self.root / "systemd/locationd-places.socket").unlink()
        self.found("locationd-places: systemd/locationd-places.socket is missing")

    def test_superfluous_files_are_found(self):
        for name in ("systemd/locationd-old.service", "config/old.toml", "config/policy.d/50-old.toml", "systemd/old.sysusers"):
            (self.root / name).write_text("")
        shutil.copy(self.root / "man/locationd.8", self.root / "man/locationd-old.8")
        self.found(
            "systemd/locationd-old.service is in no row", "config/old.toml is in no row",
            "config/policy.d/50-old.toml is in no row", "the manual page man/locationd-old.8 is in no row",
            "systemd/old.sysusers is in no row")

    def test_another_user_is_found(self):
        self.replace("systemd/locationd-web.service", "User=locationd-web", "User=locationd")
        self.found("locationd-web.service has User=locationd, and the table locationd-web")

    def test_user_that_no_package_makes_is_found(self):
        self.replace("programs.toml", 'users = ["locationd-history"]', "users = []")
        self.found(
            "locationd-history: users of the table lacks locationd-history, the user of locationd-history.service",
            "locationd-history: systemd/locationd-history.sysusers makes the users ['locationd-history'], and the table has []",
            "systemd/locationd-history.sysusers is in no row")

    def test_dynamic_user_and_capability_are_compared(self):
        self.replace("systemd/locationd-places.service", "DynamicUser=yes\n", "")
        self.replace("systemd/locationd-nearby.service", "CapabilityBoundingSet=CAP_NET_ADMIN", "CapabilityBoundingSet=")
        self.found(
            "locationd-places.service has DynamicUser=None, and the table yes",
            "locationd-nearby.service has CapabilityBoundingSet=, and the table CAP_NET_ADMIN")

    def test_other_permissions_of_a_socket_are_found(self):
        self.replace("systemd/locationd-control.socket", "SocketMode=0660", "SocketMode=0666")
        self.replace("systemd/locationd-nearby.socket", "SocketUser=locationd\n", "")
        self.found(
            "locationd-control.socket has SocketMode=0666, and the table 0660",
            "locationd-nearby.socket has SocketUser=None, and the table locationd")

    def test_another_program_in_a_unit_is_found(self):
        self.replace("systemd/locationd-fleet.service", "/usr/sbin/locationd-fleet", "/usr/sbin/locationd-web")
        self.found("locationd-fleet.service starts /usr/sbin/locationd-web, not /usr/sbin/locationd-fleet")

    def test_missing_pages_are_found(self):
        (self.root / "man/locationd-bridge.toml.5").unlink()
        (self.root / "man/interfaces/org.locationd.web.7").unlink()
        self.found(
            "locationd-bridge: the manual page man/locationd-bridge.toml.5 is missing",
            "locationd-web: the manual page man/interfaces/org.locationd.web.7 is missing")

    def test_missing_configuration_and_rule_are_found(self):
        (self.root / "config/history.toml").unlink()
        (self.root / "config/policy.d/50-locationd-history.toml").unlink()
        self.found(
            "locationd-history: config/history.toml is missing",
            "locationd-history: config/policy.d/50-locationd-history.toml is missing")

    def test_configuration_that_the_program_does_not_read_is_found(self):
        self.replace("programs.toml", 'config = "fleet.toml"', 'config = "policy.toml"')
        self.assertIn(
            "locationd-fleet: the sources do not read /etc/locationd/policy.toml by default",
            list(programs.differences(self.root)))

    def test_programs_of_the_manifest_are_compared(self):
        self.replace("Package.swift", '"locationd-agent", at: "Sources', '"locationd-asker", at: "Sources')
        self.found(
            "Package.swift has the program locationd-asker, which is in no row", "Package.swift has no program locationd-agent")

    def test_packages_are_compared(self):
        self.replace("debian/control", "Package: locationd-places", "Package: locationd-old")
        self.replace("debian/control", "locationd-agent, ", "")
        self.found(
            "debian/control has no package locationd-places",
            "debian/control has the package locationd-old, which is in no row",
            "debian/control: the package locationd does not suggest locationd-agent")

    def test_units_of_the_rules_are_compared(self):
        self.replace("debian/rules", "locationd-web-link.socket", "locationd-web-old.socket")
        self.found(
            "debian/rules does not say what becomes of locationd-web-link.socket of locationd-web (dh_installsystemd)",
            "debian/rules names locationd-web-old.socket of locationd-web, which is in no row")

    def test_scripts_of_packages_are_compared(self):
        (self.root / "debian/locationd-bridge.postinst").unlink()
        self.replace("debian/locationd-fleet.postrm", "/var/lib/locationd-fleet ", "")
        self.found(
            "debian/locationd-bridge.postinst does not make the users of locationd-bridge before the daemon reads its rule",
            "debian/locationd-bridge.postinst does not have the daemon read the rule of locationd-bridge",
            "debian/locationd-fleet.postrm does not remove /var/lib/locationd-fleet at a purge")

    def test_documents_are_compared(self):
        self.replace("README.md", "`locationd-places`", "`places`")
        self.replace("docs/ARCHITECTURE.md", "| `nearby` |", "| `near` |")
        self.replace("docs/ARCHITECTURE.md", "`locctl`, `locationd-places`,", "`locctl`,")
        self.found(
            "docs/ARCHITECTURE.md: the layer of programs has locationd, locctl, locationd-bridge, locationd-history, "
            "locationd-fleet, locationd-web, locationd-nearby, locationd-agent, not those of the table in its order",
            "README.md does not name locationd-places",
            "docs/ARCHITECTURE.md: the table of trees lacks nearby, the tree of locationd-nearby")

    def test_unknown_key_and_unknown_program_are_found(self):
        self.replace("programs.toml", 'runs = "locationd-bridge"', 'runs = "locationd-bridge"\nport = 1')
        self.replace("programs.toml", 'runs = "locationd-bridge"', 'runs = "locationd-brigde"')
        self.assertEqual(list(programs.differences(self.root))[:2], [
            "programs.toml: locationd-geoclue has an unknown key port",
            "programs.toml: locationd-geoclue runs locationd-brigde, which is in no row"])


class Derived(unittest.TestCase):
    def test_files_of_packages_follow_from_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "debian").mkdir()
            (root / "systemd").symlink_to(ROOT / "systemd")
            shutil.copy(ROOT / "programs.toml", root)
            programs.write_debian(root)
            self.assertEqual((root / "debian/locationd-agent.install").read_text().splitlines(), [
                "config/policy.d/50-locationd-agent.toml etc/locationd/policy.d",
                "config/polkit/org.locationd.policy usr/share/polkit-1/actions",
                "config/org.locationd.Agent.desktop etc/xdg/autostart",
                "config/org.locationd.Agent.desktop usr/share/applications",
                "config/org.locationd.Usage.desktop usr/share/applications",
                "systemd/user/locationd-agent.service usr/lib/systemd/user",
                ".build/package/locationd-agent usr/libexec"])
            self.assertEqual((root / "debian/locationd-web.manpages").read_text().split(), [
                "man/locationd-web.8", "man/locationd-web.toml.5", ".build/package/man/org.locationd.web.7"])
            install = (root / "debian/locationd.install").read_text()
            for line in (".build/package/locationd usr/sbin", ".build/package/locctl usr/bin", ".build/package/usr/share/* usr/share"):
                self.assertEqual(install.splitlines().count(line), 1, line)
            self.assertTrue((root / "debian/locationd-geoclue.sysusers").exists())
            self.assertFalse((root / "debian/locationd-agent.sysusers").exists())
            self.assertFalse((root / "debian/locationd-geoclue.manpages").exists())


if __name__ == "__main__":
    unittest.main()
