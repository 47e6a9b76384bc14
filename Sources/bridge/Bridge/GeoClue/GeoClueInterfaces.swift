/// The names and the descriptions of GeoClue's interfaces.
enum GeoClueInterfaces {
    static let name = "org.freedesktop.GeoClue2"
    static let manager = "org.freedesktop.GeoClue2.Manager"
    static let client = "org.freedesktop.GeoClue2.Client"
    static let location = "org.freedesktop.GeoClue2.Location"
    static let agent = "org.freedesktop.GeoClue2.Agent"
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let managerPath = "/org/freedesktop/GeoClue2/Manager"
    static let clientPath = "/org/freedesktop/GeoClue2/Client"
    static let agentPath = "/org/freedesktop/GeoClue2/Agent"

    /// The description of an object.
    ///
    /// - Parameter interface: of the object, without those that every object has; `nil` for a node that has children
    ///   alone.
    /// - Parameter children: the names of the objects below it.
    static func describe(_ interface: String?, children: [String] = []) -> String {
        let own = interface.flatMap { descriptions[$0] } ?? ""
        let nodes = children.map { "  <node name=\"\($0)\"/>\n" }.joined()
        return head + "<node>\n" + common + own + nodes + "</node>\n"
    }

    private static let head = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

        """

    private static let common = """
          <interface name="org.freedesktop.DBus.Properties">
            <method name="Get">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="property_name" type="s" direction="in"/>
              <arg name="value" type="v" direction="out"/>
            </method>
            <method name="GetAll">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="properties" type="a{sv}" direction="out"/>
            </method>
            <method name="Set">
              <arg name="interface_name" type="s" direction="in"/>
              <arg name="property_name" type="s" direction="in"/>
              <arg name="value" type="v" direction="in"/>
            </method>
            <signal name="PropertiesChanged">
              <arg name="interface_name" type="s"/>
              <arg name="changed_properties" type="a{sv}"/>
              <arg name="invalidated_properties" type="as"/>
            </signal>
          </interface>
          <interface name="org.freedesktop.DBus.Introspectable">
            <method name="Introspect">
              <arg name="xml_data" type="s" direction="out"/>
            </method>
          </interface>
          <interface name="org.freedesktop.DBus.Peer">
            <method name="Ping"/>
            <method name="GetMachineId">
              <arg name="machine_uuid" type="s" direction="out"/>
            </method>
          </interface>

        """

    private static let descriptions = [
        manager: """
          <interface name="org.freedesktop.GeoClue2.Manager">
            <property name="InUse" type="b" access="read"/>
            <property name="AvailableAccuracyLevel" type="u" access="read"/>
            <method name="GetClient">
              <arg name="client" type="o" direction="out"/>
            </method>
            <method name="CreateClient">
              <arg name="client" type="o" direction="out"/>
            </method>
            <method name="DeleteClient">
              <arg name="client" type="o" direction="in"/>
            </method>
            <method name="AddAgent">
              <arg name="id" type="s" direction="in"/>
            </method>
          </interface>

        """,
        client: """
          <interface name="org.freedesktop.GeoClue2.Client">
            <property name="Location" type="o" access="read"/>
            <property name="DistanceThreshold" type="u" access="readwrite">
              <annotation name="org.freedesktop.Accounts.DefaultValue" value="0"/>
            </property>
            <property name="TimeThreshold" type="u" access="readwrite">
              <annotation name="org.freedesktop.Accounts.DefaultValue" value="0"/>
            </property>
            <property name="DesktopId" type="s" access="readwrite"/>
            <property name="RequestedAccuracyLevel" type="u" access="readwrite"/>
            <property name="Active" type="b" access="read"/>
            <method name="Start"/>
            <method name="Stop"/>
            <signal name="LocationUpdated">
              <arg name="old" type="o"/>
              <arg name="new" type="o"/>
            </signal>
          </interface>

        """,
        location: """
          <interface name="org.freedesktop.GeoClue2.Location">
            <property name="Latitude" type="d" access="read"/>
            <property name="Longitude" type="d" access="read"/>
            <property name="Accuracy" type="d" access="read"/>
            <property name="Altitude" type="d" access="read"/>
            <property name="Speed" type="d" access="read"/>
            <property name="Heading" type="d" access="read"/>
            <property name="Description" type="s" access="read"/>
            <property name="Timestamp" type="(tt)" access="read"/>
          </interface>

        """,
    ]
}
