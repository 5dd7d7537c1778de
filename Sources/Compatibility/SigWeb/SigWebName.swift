// SPDX-License-Identifier: Apache-2.0

/// A name of SigWeb's HTTP interface: `GET NAME`, `POST NAME/VALUE`.
enum SigWebName: Equatable {
    /// Begins and ends a signature.
    case tabletState, openTablet, closeTablet, reset, resetParameters
    case clearSignature, totalPoints, numberOfStrokes, sigString, sigImage, waitForPenDown
    /// Our own, for `sigweb-compat.js`: everything at once; the picture as bytes of red, green, blue and opacity.
    case state, pixels
    /// A constant of this pad.
    case constant(String)
    /// Whether the panel answers.
    case connectQuery
    /// A value that is kept and has no effect but on pictures.
    case property
    /// Accepted without effect.
    case ignored
    /// Wants data that only the maker's format has.
    case refused
    /// Puts something on a display that people are to see.
    case drawing
    /// Draws, but in mode 0, which clears the display.
    case lcdRefresh
    case lcdClear

    init?(_ name: String) {
        switch name {
        case "TabletState": self = .tabletState
        case "OpenTablet": self = .openTablet
        case "CloseTablet": self = .closeTablet
        case "Reset": self = .reset
        case "ResetParameters": self = .resetParameters
        case "ClearSignature": self = .clearSignature
        case "TotalPoints": self = .totalPoints
        case "NumberOfStrokes": self = .numberOfStrokes
        case "SigString": self = .sigString
        case "SigImage": self = .sigImage
        case "WaitForPenDown": self = .waitForPenDown
        case "State": self = .state
        case "LcdRefresh": self = .lcdRefresh
        case "LcdClear": self = .lcdClear
        case "Pixels": self = .pixels
        case "TabletConnectQuery": self = .connectQuery
        default:
            if let value = Self.constants[name] {
                self = .constant(value)
            } else if Self.properties.contains(name) {
                self = .property
            } else if Self.ignoredNames.contains(name) {
                self = .ignored
            } else if Self.refusedNames.contains(name) {
                self = .refused
            } else if Self.drawingNames.contains(name) {
                self = .drawing
            } else {
                return nil
            }
        }
    }

    /// Pages read the versions between quotation marks, the first one without a line's end. The model number is that of
    /// a pad without a display.
    private static let constants = [
        "Version": "\"1.7.0.0\"\n", "SigWebVersion": "\"1.7.0.0\"", "DaysUntilCertificateExpires": "365",
        "TabletModelNumber": "0", "TabletSerialNumber": "0", "FirmwareRevision": "0", "LcdGetLcdSize": "0",
        "EventStatus": "0", "KeyPadQueryHotSpot": "0",
    ]

    private static let properties: Set<String> = [
        "AntiAliasEnable", "AntiAliasLineScale", "AntiAliasSpotSize", "CaptureMode", "CompressionMode",
        "DisplayAnnotate", "DisplayAnnotatePosX", "DisplayAnnotatePosY", "DisplayAnnotateSize", "DisplayPenWidth",
        "DisplayTimeStamp", "DisplayTimeStampPosX", "DisplayTimeStampPosY", "DisplayTimeStampSize", "DisplayXSize",
        "DisplayYSize", "EncryptionMode", "ImageAnnotate", "ImageAnnotatePosX", "ImageAnnotatePosY",
        "ImageAnnotateSize", "ImagePenWidth", "ImageTimeStamp", "ImageTimeStampPosX", "ImageTimeStampPosY",
        "ImageTimeStampSize", "ImageXSize", "ImageYSize", "JustifyMode", "JustifyX", "JustifyY",
        "LcdCompressionMode", "LcdZCompressionMode", "MaxLogFileSize", "PortNumber", "SavePressureData",
        "SaveSigInfo", "SaveTimeData", "SerialPortCloseDelay", "ServerTabletType", "SigSockClientName",
        "SigSockPortNumber", "SigSockServerPath", "TabletBaudRate", "TabletComPort", "TabletComTest",
        "TabletFilterPoints", "TabletLocalIniFilePath", "TabletLogicalXSize", "TabletLogicalYSize", "TabletModel",
        "TabletPortPath", "TabletResolution", "TabletRotation", "TabletTimingAdvance", "TabletType", "TabletXStart",
        "TabletXStop", "TabletYStart", "TabletYStop", "UseAmbientColors",
    ]

    private static let ignoredNames: Set<String> = [
        "Annotate", "AutoKeyAddANSIData", "AutoKeyAddData", "AutoKeyFinish", "AutoKeyStart", "ClearSigWindow",
        "EnableTabletEncryption", "KeyPadClearHotSpotList", "KeyString", "LCDSetWindow", "LcdSetPixelDepth",
        "SetAutoKeyData", "SigWindow", "TabletEncryptionMode", "TimeStamp",
    ]

    private static let refusedNames: Set<String> = [
        "KeyReceiptAscii", "NumberOfPointsInStroke", "PointXValue", "PointYValue", "SigReceiptAscii", "TabletData",
    ]

    private static let drawingNames: Set<String> = [
        "KeyPadAddHotSpot", "LcdSendCmdData", "LcdSendCmdString", "LcdWriteImage", "LcdWriteImageStream",
        "LcdWriteImageStreamParams",
    ]
}
