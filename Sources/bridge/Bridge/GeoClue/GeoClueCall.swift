import DBus

/// A call of a program on the bus.
struct GeoClueCall {
    /// Of the reply; each call has its own.
    let number: Int
    let sender: String
    let path: String
    let interface: String?
    let member: String
    let signature: String
    let arguments: [BusValue]

    /// Bytes of its texts.
    var textLength: Int {
        arguments.reduce((interface?.utf8.count ?? 0) + path.utf8.count + member.utf8.count) { length, argument in
            switch argument {
            case .variant(let value): length + (value.text?.utf8.count ?? 0)
            default: length + (argument.text?.utf8.count ?? 0)
            }
        }
    }
}

/// An error that a call is answered with, by its standard name.
enum GeoClueError: String {
    case accessDenied = "AccessDenied"
    case invalidArguments = "InvalidArgs"
    case limitsExceeded = "LimitsExceeded"
    case propertyReadOnly = "PropertyReadOnly"
    case unknownInterface = "UnknownInterface"
    case unknownMethod = "UnknownMethod"
    case unknownObject = "UnknownObject"
    case unknownProperty = "UnknownProperty"

    var name: String { "org.freedesktop.DBus.Error.\(rawValue)" }
}
