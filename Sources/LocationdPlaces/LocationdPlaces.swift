import Places

/// The service's program.
@main
enum LocationdPlaces {
    static func main() {}
}
