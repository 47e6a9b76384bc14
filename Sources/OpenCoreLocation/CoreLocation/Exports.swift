// As Apple's module does, so that a source file that imports only this one compiles.
@_exported public import Foundation
