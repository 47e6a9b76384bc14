import AccessPoints
import CNetlink
import Glibc
import LocationModel

/// The wireless devices of the machine, by the kernel's nl80211: what they receive, and a scan of all channels.
///
/// Any user may read what is received; a scan takes CAP_NET_ADMIN.
struct WirelessDevices: ~Copyable {
    struct Device: Equatable {
        let index: UInt32
        let name: String
    }

    /// Seconds before the newest reception within which others belong to the same observation.
    static let span = 10.0

    private var netlink: GenericNetlink
    /// The number that the kernel has given to nl80211.
    let family: UInt16
    /// The group of messages about scans.
    let scanGroup: UInt32

    /// - Throws: `ENOENT` if the kernel has no wireless devices.
    init() throws(GenericNetlink.Refusal) {
        var netlink = try GenericNetlink()
        let answer = try netlink.request(
            NetlinkMessage(
                family: UInt16(GENL_ID_CTRL), command: UInt8(CTRL_CMD_GETFAMILY), flags: 0,
                [NetlinkAttribute(UInt16(CTRL_ATTR_FAMILY_NAME), text: NL80211_GENL_NAME)]))
        let attributes = answer.first?.attributes ?? []
        guard let family: UInt16 = attributes[type: UInt32(CTRL_ATTR_FAMILY_ID)]?.number() else {
            throw GenericNetlink.Refusal(code: ENOENT)
        }
        let groups = attributes[type: UInt32(CTRL_ATTR_MCAST_GROUPS)]?.nested.map(\.nested) ?? []
        let scan = groups.first { $0[type: UInt32(CTRL_ATTR_MCAST_GRP_NAME)]?.text == NL80211_MULTICAST_GROUP_SCAN }
        guard let group: UInt32 = scan?[type: UInt32(CTRL_ATTR_MCAST_GRP_ID)]?.number() else {
            throw GenericNetlink.Refusal(code: ENOENT)
        }
        (self.family, scanGroup) = (family, group)
        self.netlink = netlink
    }

    /// The devices that can be clients of access points.
    mutating func devices() throws(GenericNetlink.Refusal) -> [Device] {
        let answers = try netlink.request(
            NetlinkMessage(family: family, command: UInt8(NL80211_CMD_GET_INTERFACE.rawValue), flags: Self.dump))
        return answers.compactMap { answer in
            let attributes = answer.attributes
            guard
                attributes[type: NL80211_ATTR_IFTYPE.rawValue]?.number(UInt32.self) == NL80211_IFTYPE_STATION.rawValue,
                let index: UInt32 = attributes[type: NL80211_ATTR_IFINDEX.rawValue]?.number()
            else { return nil }
            return Device(index: index, name: attributes[type: NL80211_ATTR_IFNAME.rawValue]?.text ?? "\(index)")
        }
    }

    /// What all devices received last; `nil` if that is nothing.
    mutating func observation(at now: BootInstant) throws(GenericNetlink.Refusal) -> AccessPointObservation? {
        var seen: [(ReceivedAccessPoint, BootInstant)] = []
        for device in try devices() {
            let answers = try netlink.request(
                NetlinkMessage(
                    family: family, command: UInt8(NL80211_CMD_GET_SCAN.rawValue), flags: Self.dump,
                    [NetlinkAttribute(UInt16(NL80211_ATTR_IFINDEX.rawValue), device.index)]))
            seen += answers.compactMap { answer in
                answer.attributes[type: NL80211_ATTR_BSS.rawValue].flatMap { Self.reception($0.nested, at: now) }
            }
        }
        guard let newest = seen.map(\.1).max() else { return nil }
        return AccessPointObservation(
            time: newest, accessPoints: seen.filter { newest.seconds(since: $0.1) <= Self.span }.map(\.0))
    }

    /// One entry of a device's list; `nil` without an address or a power in dBm.
    static func reception(
        _ entry: [NetlinkAttribute], at now: BootInstant
    ) -> (ReceivedAccessPoint, BootInstant)? {
        guard let address = entry[type: NL80211_BSS_BSSID.rawValue]?.value, address.count == 6,
            let power: Int32 = entry[type: NL80211_BSS_SIGNAL_MBM.rawValue]?.number()
        else { return nil }
        let value = address.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let time: BootInstant
        if let boot: UInt64 = entry[type: NL80211_BSS_LAST_SEEN_BOOTTIME.rawValue]?.number(), boot <= UInt64(Int64.max)
        {
            time = min(now, BootInstant(nanoseconds: Int64(boot)))
        } else {
            let age: UInt32 = entry[type: NL80211_BSS_SEEN_MS_AGO.rawValue]?.number() ?? 0
            time = now.advanced(bySeconds: -Double(age) / 1000)
        }
        let elements =
            entry[type: NL80211_BSS_INFORMATION_ELEMENTS.rawValue] ?? entry[type: NL80211_BSS_BEACON_IES.rawValue]
        return (
            ReceivedAccessPoint(
                address: HardwareAddress(value: value), signal: Double(power) / 100,
                network: elements.flatMap { network(in: $0.value) }), time
        )
    }

    /// The name of the network: the element with the number 0 (IEEE 802.11, 9.4.2.2); each is its number, its length
    /// and its value.
    private static func network(in elements: [UInt8]) -> String? {
        var rest = elements[...]
        while let number = rest.first, let length = rest.dropFirst().first, rest.count >= 2 + Int(length) {
            if number == 0 { return String(decoding: rest.dropFirst(2).prefix(Int(length)), as: UTF8.self) }
            rest = rest.dropFirst(2 + Int(length))
        }
        return nil
    }

    /// Lets a device listen and ask on all channels. Its results are told to the group of scans.
    ///
    /// - Throws: `EPERM` without CAP_NET_ADMIN, `EBUSY` while a scan is under way, `ENETDOWN` or `ERFKILL` if it is
    ///   off.
    mutating func scan(_ device: Device) throws(GenericNetlink.Refusal) {
        // One name without a length asks for all networks.
        let names = NetlinkAttribute(UInt16(NL80211_ATTR_SCAN_SSIDS.rawValue), [4, 0, 1, 0])
        _ = try netlink.request(
            NetlinkMessage(
                family: family, command: UInt8(NL80211_CMD_TRIGGER_SCAN.rawValue), flags: 0,
                [NetlinkAttribute(UInt16(NL80211_ATTR_IFINDEX.rawValue), device.index), names]))
    }

    /// Whether a message of the group says that there are new results.
    static func tellsResults(_ message: NetlinkMessage, of family: UInt16) -> Bool {
        message.type == family && message.command == UInt8(NL80211_CMD_NEW_SCAN_RESULTS.rawValue)
    }

    private static let dump = UInt16(NLM_F_ROOT) | UInt16(NLM_F_MATCH)
}
