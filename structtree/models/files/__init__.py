"""Model files: models, their trees and records as JSON."""
