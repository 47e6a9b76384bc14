import GRDB

/// The tables of a track: those of every GeoPackage, one layer each for points, trips, stays and gaps, and our own
/// state.
///
/// Source: OGC 12-128r18, GeoPackage Encoding Standard 1.3. Version 1.3 and not 1.4, which GDAL of Debian 12 does not
/// know.
enum GeoPackageSchema {
    /// "GPKG", by which programs recognize a GeoPackage.
    static let application = 0x4750_4B47
    private static let geoPackageVersion = 10_300
    /// The version of our own tables.
    static let version = 1
    /// The layers and their kinds of geometry.
    static let layers = [("points", "POINT"), ("trips", "LINESTRING"), ("stays", "POINT"), ("gaps", "LINESTRING")]

    /// Refuses a file of others in which a name of our tables is that of a view or of a virtual table, which are
    /// programs.
    ///
    /// - Throws: ``NoTable``
    static func requireTables(of database: Database) throws {
        let names = (layers.map(\.0) + ["locationd_state"]).map { "'\($0)'" }.joined(separator: ", ")
        let sql = """
            SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name COLLATE NOCASE IN (\(names))
            AND (type != 'table' OR coalesce(rootpage, 0) = 0))
            """
        if try Bool.fetchOne(database, sql: sql) != false { throw NoTable() }
    }

    /// A view or a virtual table is in the place of a table.
    struct NoTable: Error {}

    static func create(in database: Database) throws {
        try database.execute(sql: "PRAGMA application_id = \(application)")
        try database.execute(sql: "PRAGMA user_version = \(geoPackageVersion)")
        try database.execute(sql: standard)
        for system in referenceSystems {
            try database.execute(
                sql: "INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, NULL)", arguments: system)
        }
        try database.execute(sql: tables)
        for (name, kind) in layers {
            try database.execute(
                sql: """
                    INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES (?, 'features', ?, 4326)
                    """, arguments: [name, name])
            try database.execute(
                sql: "INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', ?, 4326, 0, 0)", arguments: [name, kind])
        }
        try database.execute(
            sql: "INSERT INTO locationd_state VALUES ('version', ?)", arguments: [String(version)])
    }

    private static let standard = """
        CREATE TABLE gpkg_spatial_ref_sys (
          srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, organization TEXT NOT NULL,
          organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
        CREATE TABLE gpkg_contents (
          table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
          description TEXT DEFAULT '',
          last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
          min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
          CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
        CREATE TABLE gpkg_geometry_columns (
          table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL,
          z TINYINT NOT NULL, m TINYINT NOT NULL,
          CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
          CONSTRAINT uk_gc_table_name UNIQUE (table_name),
          CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
          CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
        """

    /// The three that every GeoPackage has.
    private static let referenceSystems: [StatementArguments] = [
        ["Undefined cartesian SRS", -1, "NONE", -1, "undefined"],
        ["Undefined geographic SRS", 0, "NONE", 0, "undefined"],
        [
            "WGS 84 geodetic", 4326, "EPSG", 4326,
            """
            GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],\
            AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],\
            UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]
            """,
        ],
    ]

    private static let tables = """
        CREATE TABLE points (
          id INTEGER PRIMARY KEY, geom POINT NOT NULL, time DATETIME NOT NULL, altitude DOUBLE, speed DOUBLE, course DOUBLE,
          horizontal_accuracy DOUBLE, vertical_accuracy DOUBLE, satellites INTEGER, source TEXT NOT NULL, method TEXT,
          simulated BOOLEAN NOT NULL);
        CREATE INDEX points_time ON points (time);
        CREATE TABLE trips (
          id INTEGER PRIMARY KEY AUTOINCREMENT, geom LINESTRING, begin DATETIME NOT NULL, end DATETIME, distance DOUBLE,
          duration DOUBLE, maximum_speed DOUBLE);
        CREATE TABLE stays (
          id INTEGER PRIMARY KEY AUTOINCREMENT, geom POINT NOT NULL, arrival DATETIME, departure DATETIME,
          accuracy DOUBLE NOT NULL);
        CREATE TABLE gaps (
          id INTEGER PRIMARY KEY AUTOINCREMENT, geom LINESTRING NOT NULL, begin DATETIME NOT NULL, end DATETIME NOT NULL);
        CREATE INDEX gaps_end ON gaps (end);
        CREATE TABLE locationd_state (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);
        """
}
