import Fleet
import FoundationEssentials
import Glibc
import HTTPRequests
@_spi(Programs) import LocationModel
import Logging
@_spi(Programs) import SystemSupport

/// Home Assistant as its app for phones uses it: a registration by the token, and then reports to a webhook, whose
/// address is a secret as the token is.
extension HTTPDelivery {
    struct Registration: Codable, Equatable {
        /// Home Assistant's own URL: another one is registered with anew.
        var url: String
        var webhook: String
        /// Seconds since 1970.
        var time: Int64
        /// Reports in a row that were answered without a body.
        var unanswered = 0
    }

    private typealias Outcome = DestinationSchedule.Outcome

    /// Unanswered reports, and seconds since the last registration, before there is another.
    private static let (patience, registrationPause) = (3, Int64(86_400))

    func sendToHomeAssistant(_ payload: [UInt8]) async -> DestinationSchedule.Outcome {
        guard let body = DeviceReport(waiting: payload)?.homeAssistantUpdate else { return .delivered }
        if memory.homeAssistant?.url != destination.address.url, let failure = await register() { return failure }
        let outcome = await post(body)
        guard case .failed = outcome, let registration = memory.homeAssistant,
            registration.unanswered >= Self.patience,
            clock.utc().seconds - registration.time >= Self.registrationPause
        else { return outcome }
        if let obstacle = await obstacleToRegistration() { return obstacle }
        logger.notice("Home Assistant does not know the device any more; it is registered anew")
        if let failure = await register() { return failure }
        return await post(body)
    }

    /// The status says nothing: Home Assistant answers 200, and no body, to what it drops.
    private func post(_ body: [UInt8]) async -> DestinationSchedule.Outcome {
        guard let webhook = memory.homeAssistant?.webhook else { return .failed(words: "the device is not registered") }
        let request = HTTPRequest(to: "\(destination.address.url)/api/webhook/\(webhook)", body: body)
        let (answer, failure) = await answer(request, isAuthorized: false)
        // 410 is the answer of one that was started after the registration was deleted.
        if let failure, answer?.status != 410 { return failure }
        if answer?.status == 200, (try? answer?.json()) != nil, answer?.body.first == UInt8(ascii: "{") {
            memory.homeAssistant?.unanswered = 0
            return .delivered
        }
        memory.homeAssistant?.unanswered += 1
        return .failed(
            words: "Home Assistant does not take reports of this device: it is starting, or the device is deleted or "
                + "disabled there; see its settings, mobile app")
    }

    /// - Returns: why there is no registration; `nil` if there is one.
    private func register() async -> DestinationSchedule.Outcome? {
        let url = destination.address.url
        let form = RegistrationForm(
            deviceID:
                "\(String(outbox.origin, radix: 16))-\(String(outbox.creationTime, radix: 16))-\(destination.name)",
            appVersion: destination.version, deviceName: destination.device, osVersion: Self.kernelRelease)
        let request = HTTPRequest(
            to: "\(url)/api/mobile_app/registrations", body: (try? JSONEncoder().encode(form)).map(Array.init))
        let (answer, failure) = await answer(request)
        if answer?.status == 404 {
            return .failed(
                words:
                    "Home Assistant has no mobile_app: it is starting, or needs `mobile_app:` or `default_config:` in its "
                    + "configuration")
        }
        if let failure { return failure }
        guard let answer, let data = try? answer.json(),
            let reply = try? JSONDecoder().decode(RegistrationReply.self, from: data), reply.isValid
        else { return .rejected(words: "it does not answer a registration as Home Assistant does; check url") }
        memory.homeAssistant = Registration(url: url, webhook: reply.webhook, time: clock.utc().seconds)
        logger.notice("the device is registered with Home Assistant", metadata: ["device": "\(destination.device)"])
        return nil
    }

    /// Why the device is not registered anew; `nil` if Home Assistant runs and has no such registration.
    private func obstacleToRegistration() async -> DestinationSchedule.Outcome? {
        let (core, failure) = await configuration()
        guard let core else { return failure }
        guard core.state == "RUNNING" else { return .failed(words: "Home Assistant is starting") }
        // An administrator's token alone may ask, and each refusal counts among wrong tokens.
        guard destination.movesHome else { return nil }
        let list = HTTPRequest(to: "\(destination.address.url)/api/config/config_entries/entry?domain=mobile_app")
        let (answer, refusal) = await answer(list)
        guard refusal == nil, let body = answer?.body,
            let entries = try? JSONDecoder().decode([Entry].self, from: Data(body)),
            entries.contains(where: { $0.title == destination.device && $0.disabler != nil })
        else { return nil }
        return .failed(words: "the device is disabled in Home Assistant; enable it in its settings, mobile app")
    }

    /// Home Assistant's state, and where it is.
    private func configuration() async -> (core: CoreConfiguration?, failure: DestinationSchedule.Outcome?) {
        let (answer, failure) = await answer(HTTPRequest(to: "\(destination.address.url)/api/config"))
        guard failure == nil, let answer else { return (nil, failure) }
        let core = try? JSONDecoder().decode(CoreConfiguration.self, from: Data(answer.body))
        return (core, core == nil ? .failed(words: "it does not answer as Home Assistant does; check url") : nil)
    }

    /// Moves Home Assistant's own home to where the machine rests, if it is elsewhere.
    ///
    /// - Returns: whether it was moved, and why it is to be tried later; a refusal leaves the home where it is from
    ///   now on, and reports go on.
    func moveHome() async -> (isMoved: Bool, failure: DestinationSchedule.Outcome?) {
        guard homeTrouble == nil, let place = home.place else { return (false, nil) }
        let (core, obstacle) = await configuration()
        guard let core else { return (false, refusal(obstacle)) }
        if let home = Coordinate(latitude: core.latitude, longitude: core.longitude),
            home.distance(to: place.coordinate) < HomeFollower.leastDistance
        {
            self.home.endFollowing()
            return (false, nil)
        }
        let call = SetLocation(
            latitude: place.coordinate.latitude, longitude: place.coordinate.longitude,
            elevation: place.altitude.map { Int($0.rounded()) })
        let request = HTTPRequest(
            to: "\(destination.address.url)/api/services/homeassistant/set_location",
            body: (try? JSONEncoder().encode(call)).map(Array.init))
        if let failure = await answer(request).failure { return (false, refusal(failure)) }
        home.endFollowing()
        logger.notice("Home Assistant's home follows the machine")
        return (true, nil)
    }

    private func refusal(_ failure: DestinationSchedule.Outcome?) -> DestinationSchedule.Outcome? {
        switch failure {
        case .rejected(let words)?, .refused(let words)?:
            homeTrouble = "Home Assistant's home does not follow, which takes an administrator's token: \(words)"
            logger.warning("Home Assistant's home does not follow", metadata: ["reason": "\(words)"])
            return nil
        default: return failure
        }
    }

    private static var kernelRelease: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "unknown" }
        return withUnsafeBytes(of: &names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

private struct RegistrationForm: Encodable {
    let deviceID: String
    let appID = "locationd"
    let appName = "locationd"
    let appVersion: String
    let deviceName: String
    let manufacturer = "locationd"
    let model = "locationd-fleet"
    let osName = "Linux"
    /// Home Assistant's schema calls it optional; without it the registration is never loaded.
    let osVersion: String
    let supportsEncryption = false

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id", appID = "app_id", appName = "app_name", appVersion = "app_version"
        case deviceName = "device_name", manufacturer, model, osName = "os_name", osVersion = "os_version"
        case supportsEncryption = "supports_encryption"
    }
}

private struct RegistrationReply: Decodable {
    let webhook: String

    private enum CodingKeys: String, CodingKey { case webhook = "webhook_id" }

    /// Whether it can be a part of a URL.
    var isValid: Bool {
        (16...256).contains(webhook.utf8.count) && webhook.allSatisfy(FleetDevice.isNameCharacter)
    }
}

private struct CoreConfiguration: Decodable {
    let state: String?
    let latitude, longitude: Double
}

private struct Entry: Decodable {
    let title: String
    let disabler: String?

    private enum CodingKeys: String, CodingKey { case title, disabler = "disabled_by" }
}

/// Whole metres: Home Assistant 2026.2 takes no other number.
private struct SetLocation: Encodable {
    let latitude, longitude: Double
    let elevation: Int?
}
