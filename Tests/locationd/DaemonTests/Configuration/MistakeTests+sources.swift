import ServiceKit

extension MistakeTests {
    private static let gpsd = "[[sources]]\nkind = \"gpsd\"\n"

    static let sources = [
        Mistake(
            "sources = []", 1, "sources",
            "locationd.toml:1: sources: has no source; name one or leave the list out"),
        Mistake(
            "[sources]\nkind = \"gpsd\"", 1, "sources",
            "locationd.toml:1: sources: is a table, not a list of tables; write [[sources]] above each source"),
        Mistake("sources = [\n  { kind = \"gpsd\" },\n  4\n]", 3, "sources[1]"),
        Mistake(
            "[additional-sources]\nkind = \"gpsd\"", 1, "additional-sources",
            "locationd.toml:1: additional-sources: is a table, not a list of tables; "
                + "write [[additional-sources]] above each source"),
        Mistake("sources = [\n  { kind = \"gpsd\" },\n  { kind = \"simulator\", seed = -1 }\n]", 3, "sources[1].seed"),
        Mistake(
            "\n[[sources]]\nhost = \"::1\"", 2, "sources[0].kind",
            "locationd.toml:2: sources[0].kind: is missing; "
                + "give it one of \"gpsd\", \"simulator\", \"replay\", \"static\", \"static-file\", "
                + "\"provider\", \"compass\""),
        Mistake("[[sources]]\nknd = \"gpsd\"", 2, "sources[0].knd"),
        Mistake("[[sources]]\nkind = \"gps\"", 2, "sources[0].kind"),
        Mistake(gpsd + "prot = 2947", 3, "sources[0].prot"),
        Mistake(gpsd + "port = 0", 3, "sources[0].port"),
        Mistake(gpsd + "port = 65536", 3, "sources[0].port"),
        Mistake(gpsd + "port = \"2947\"", 3, "sources[0].port"),
        Mistake(
            gpsd + "host = \"localhost:2947\"", 3, "sources[0].host",
            "locationd.toml:3: sources[0].host: \"localhost:2947\" is not an IPv6 address; "
                + "write the port apart from the host, in the key port"),
        Mistake(gpsd + "host = \"[::1]\"", 3, "sources[0].host"),
        Mistake(gpsd + "host = \"a b\"", 3, "sources[0].host"),
        Mistake(gpsd + "host = \"\"", 3, "sources[0].host"),
        Mistake(gpsd + "device = \"/dev/tty\\nUSB0\"", 3, "sources[0].device"),
        Mistake(gpsd + "silence-timeout = 4.9", 3, "sources[0].silence-timeout"),
        Mistake(gpsd + "name = \"My GPS\"", 3, "sources[0].name"),
        Mistake(gpsd + "name = \"\"", 3, "sources[0].name"),
        Mistake(gpsd + "name = \"under_score\"", 3, "sources[0].name"),
        Mistake(gpsd + "name = \"\(String(repeating: "a", count: 33))\"", 3, "sources[0].name"),
        Mistake(
            gpsd + gpsd, 3, "sources[1].name",
            "locationd.toml:3: sources[1].name: \"gpsd\" is already the name of sources[0]; "
                + "give each source a name of its own"),
        Mistake(
            gpsd + "[[sources]]\nkind = \"simulator\"\n\n# named as the first\nname = \"gpsd\"", 7, "sources[1].name"),
        Mistake(
            "[[sources]]\nkind = \"replay\"", 1, "sources[0].file",
            "locationd.toml:1: sources[0].file: is missing; give it an absolute path in quotes"),
        Mistake("[[sources]]\nkind = \"replay\"\nfile = \"trip.jsonl\"", 3, "sources[0].file"),
        Mistake("[[sources]]\nkind = \"replay\"\nfile = \"/f\"\nspeed = 0", 4, "sources[0].speed"),
        Mistake("[[sources]]\nkind = \"static\"\nlatitude = 1", 1, "sources[0].longitude"),
        Mistake("[[sources]]\nkind = \"static\"\nlatitude = 90.1\nlongitude = 1", 3, "sources[0].latitude"),
        Mistake("[[sources]]\nkind = \"static\"\nlatitude = 9\nlongitude = -180.5", 4, "sources[0].longitude"),
        Mistake("[[sources]]\nkind = \"static-file\"\nfile = \"geolocation\"", 3, "sources[0].file"),
        Mistake("[[sources]]\nkind = \"provider\"", 1, "sources[0].socket"),
        Mistake("[[sources]]\nkind = \"provider\"\nsocket = \"here\"", 3, "sources[0].socket"),
        Mistake("[[sources]]\nkind = \"provider\"\nsocket = \"/s\"\nuser = \"two words\"", 4, "sources[0].user"),
        Mistake("[[sources]]\nkind = \"provider\"\nsocket = \"/s\"\nmethod = \"wifi\"", 4, "sources[0].method"),
        Mistake("[[sources]]\nkind = \"compass\"\nfile = \"/x\"", 3, "sources[0].file"),
        Mistake("[[sources]]\nkind = \"static-file\"\nlatitude = 1", 3, "sources[0].latitude"),
        Mistake("[[sources]]\nkind = \"simulator\"\nrate = 21", 3, "sources[0].rate"),
        Mistake("[[sources]]\nkind = \"simulator\"\nspeed = 100.5", 3, "sources[0].speed"),
    ]

    static let otherKinds = [
        Mistake(
            gpsd + "file = \"/f\"", 3, "sources[0].file",
            "locationd.toml:3: sources[0].file: is a key of kind replay or static-file, not of gpsd; remove it or change the kind"
        ),
        Mistake(
            gpsd + "speed = 1", 3, "sources[0].speed",
            "locationd.toml:3: sources[0].speed: is a key of kind simulator or replay, not of gpsd; "
                + "remove it or change the kind"),
        Mistake("[[sources]]\nkind = \"static\"\nhost = \"::1\"", 3, "sources[0].host"),
        Mistake("[[sources]]\nport = 1\nkind = \"simulator\"", 2, "sources[0].port"),
        Mistake("[[sources]]\nkind = \"replay\"\nlatitude = 1", 3, "sources[0].latitude"),
    ]

    /// Mistakes below things that look like keys and are none.
    static let odd = [
        Mistake("# [limits]\n# clients = 0\n[limits]\nclients = 0 # clients = 0", 4, "limits.clients"),
        Mistake("[access]\ngroup = \"\"\"\n[limits]\nclients = 0\n\"\"\"", 2, "access.group"),
        Mistake("\u{FEFF}[limits]\r\nclients = 1\r\nrequest-size = 1\r\n", 3, "limits.request-size"),
        Mistake("[ limits ] # four\n 'clients' = 0", 2, "limits.clients"),
        Mistake(
            "[[sources]]\nkind=\"gpsd\"\n[delivery]\nlinger=1\n[[sources]]\nkind=\"static\"\nport=1", 7,
            "sources[1].port"),
        Mistake("\"del\\u0069very\".linger = -1", 1, "delivery.linger"),
    ]
}
