package import Authorization
package import LocationHub
@_spi(Programs) import LocationInterface
package import Logging
package import ServiceServer
@_spi(Programs) package import SystemSupport
import Varlink

/// Admits connections, reads their calls, and hands each call that the gate lets pass to the service that answers it.
///
/// Ownership: everything here belongs to one event loop. Sources reach it through the mailbox only, and the program
/// around it through ``ServerEnvironment``. Each service has its tables to itself: the others see of it a protocol with
/// what they need.
package final class ServerDispatcher: ServiceCalls {
    let parts: SharedParts
    /// What the daemon says of itself on the socket for everyone, and on that for administrators.
    let (description, controlDescription): (ServiceDescription, ServiceDescription)
    let usage: UsageCalls
    let locations: LocationCalls
    let decisions: DecisionCalls
    let administration: AdministrationCalls
    /// The groups of users who are served.
    let groupLookUps: GroupLookUps

    package init(
        loop: ServiceLoop, settings: ServerSettings, decisions known: Authority.Decisions, sessions: any LoginSessions,
        hub: consuming Hub, environment: ServerEnvironment, logger: Logger,
        instruments: ServerInstruments = ServerInstruments(),
        clock: ServiceClock = .machine
    ) {
        let context = ServerContext(
            loop: loop, environment: environment, clock: clock, logger: logger, instruments: instruments,
            settings: settings)
        func describe(_ interfaces: [InterfaceDescription]) -> ServiceDescription {
            ServiceDescription(
                vendor: "locationd", product: "locationd", version: settings.version, url: "man:locationd(8)",
                interfaces: interfaces)
        }
        description = describe([LocationInterface.description])
        controlDescription = describe([LocationInterface.description, AdminInterface.description])
        groupLookUps = GroupLookUps(context)
        // What was recorded in earlier runs is read before anything else is.
        let records = environment.state.recentAudit()
        let connections = Connections(context)
        parts = SharedParts(
            context: context, connections: connections, gate: CallGate(context, connections),
            audit: AuditRecorder(context, resuming: records), reporter: SummaryReporter(context))
        // Each is made with those before it. The references back are weak, and all set here.
        usage = UsageCalls(context, connections, resuming: records)
        locations = LocationCalls(parts, usage: usage, hub: hub)
        usage.owner = locations
        decisions = DecisionCalls(parts, usage: usage, locations: locations, decisions: known, sessions: sessions)
        locations.decisions = decisions
        parts.audit.owner = decisions
        administration = AdministrationCalls(parts, locations: locations)
        parts.reporter.begin(for: self)
    }

    /// Starts to watch for the end of clients' processes. Clients can be admitted from here on.
    /// - Returns: false if the system cannot create another thread.
    package func watchProcesses() -> Bool {
        let (loop, service) = (loop, loop.bind(self))
        connections.processes = ProcessWatch { number in loop.execute { service.value.processEnded(number) } }
        return connections.processes != nil
    }

    /// Reads the events that sources have put into the mailbox.
    package func read(_ mailbox: Mailbox) { locations.read(mailbox) }

    package func replaceSources(_ names: [String], compasses: [String] = [], lowPower: Set<String> = []) {
        locations.replaceSources(names, compasses: compasses, lowPower: lowPower)
    }

    /// Applies a change of the configuration; connections stay.
    package func apply(_ change: (inout ServerSettings) -> Void) {
        change(&context.settings)
        connections.applySettings()
        refreshServing()
        decisions.applyPolicy()
        locations.perform(locations.hub.apply(settings.hub, at: now))
    }

    /// Applies decisions that were read again: the file has become readable, or unreadable.
    package func replaceDecisions(_ known: Authority.Decisions) { decisions.replaceDecisions(known) }

    /// Ends the service: sends every watch the reason, and closes each connection once its client has read everything.
    ///
    /// - Returns: a signal for when the last connection is closed, or when `patience` seconds are over.
    package func finish(reason: String, within patience: Double) -> LoopSignal<Void> {
        guard !context.isFinishing else {
            let gone = loop.signal(of: Void.self)
            gone.send(())
            return gone
        }
        context.isFinishing = true
        locations.finish(reason: reason)
        decisions.finish()
        usage.feed.finish()
        for client in connections.clients.values { client.call.question?.withdraw() }
        connections.processes = nil
        return connections.registry.closeAll(within: patience)
    }

    /// A summary of the service without the position.
    var summary: ServiceSummary {
        let now = now
        return ServiceSummary(
            status: locations.hub.publicStatus(at: now), location: locations.hub.freshLocation(at: now),
            clients: connections.clients.count, waitingRequests: decisions.waitingRequests)
    }
}
