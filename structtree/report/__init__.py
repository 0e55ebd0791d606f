"""Text, pictures and HTML reports of data, trees and predictions."""
