"""Messages, records and tools of the wire.

Generated from apps/debug/contract by scripts/klendathu/python-types.ts: `npm run docs`.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

PROTOCOL_VERSION = 1

CHILD_NAMES = frozenset(
    [
        "AGENT_MODEL",
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "LANG",
        "TZ",
        "TMPDIR",
        "TEMP",
        "TMP",
        "USERPROFILE",
        "APPDATA",
        "LOCALAPPDATA",
        "SYSTEMROOT",
        "PATHEXT",
        "COMSPEC",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
        "XDG_RUNTIME_DIR",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "NODE_EXTRA_CA_CERTS",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
    ]
)

CHILD_PATTERN = r"^(?:(?:ANTHROPIC|OPENAI|OPENROUTER|GOOGLE_GENERATIVE_AI|MISTRAL|GROQ|XAI|DEEPSEEK|COHERE|TOGETHER_AI|TOGETHER|FIREWORKS|PERPLEXITY|CEREBRAS|DEEPINFRA|BASETEN|AI_GATEWAY|AZURE|OLLAMA)_(?:API_KEY|AUTH_TOKEN|BASE_URL|RESOURCE_NAME)|(?:KLAUS|KLENDATHU|LC)_.*)$"

FailureCode = Literal[
    "input",
    "auth",
    "config",
    "server",
    "model",
    "limit",
    "timeout",
    "cancelled",
    "no-result",
    "refused",
    "cli-outdated",
    "cli-missing",
    "node-missing",
    "cli-died",
    "schema",
    "node-outdated",
]

FAILURE_CODES: dict[FailureCode, int] = {
    "input": 2,
    "auth": 3,
    "config": 4,
    "server": 5,
    "model": 6,
    "limit": 7,
    "timeout": 8,
    "cancelled": 130,
    "no-result": 9,
    "refused": 10,
    "cli-outdated": 11,
    "cli-missing": 12,
    "node-missing": 13,
    "cli-died": 14,
    "schema": 15,
    "node-outdated": 16,
}


class _StackFrame(TypedDict):
    filePath: str


class StackFrame(_StackFrame, total=False):
    line: int
    column: int
    functionName: str
    isUser: bool
    hasLocals: bool
    isAsync: bool
    of: str


class _ContextEntry(TypedDict):
    name: str
    type: str


class ContextEntry(_ContextEntry, total=False):
    description: str


class _ErrorSummary(TypedDict):
    name: str
    message: str


class ErrorSummary(_ErrorSummary, total=False):
    stack: str
    code: str
    cause: ErrorSummary


class Budget(TypedDict, total=False):
    usd: float
    tokens: int
    turns: int
    evals: int


class _ValueNode(TypedDict):
    name: str
    type: str
    preview: str


class ValueNode(_ValueNode, total=False):
    size: int
    path: str
    children: list[ValueNode]
    omitted: int


class ConsoleEntry(TypedDict):
    seq: int
    level: str
    text: str


class _InvestigateInput(TypedDict):
    mode: Literal["investigate"]
    mcpUrl: str
    callStack: list[StackFrame]
    context: list[ContextEntry]
    timestamp: str
    pid: int


class InvestigateInput(_InvestigateInput, total=False):
    extraInstructions: str
    protocol: int
    mcpToken: str
    error: ErrorSummary
    language: str
    runtime: str
    projectRoot: str
    access: Literal["read", "full"]
    model: str
    budget: Budget
    timeoutMs: int
    fingerprint: str


class _ImplementInput(TypedDict):
    mode: Literal["implement"]
    mcpUrl: str
    callStack: list[StackFrame]
    context: list[ContextEntry]
    timestamp: str
    pid: int
    prompt: str
    schema: dict[str, Any]


class ImplementInput(_ImplementInput, total=False):
    extraInstructions: str
    protocol: int
    mcpToken: str
    error: ErrorSummary
    language: str
    runtime: str
    projectRoot: str
    access: Literal["read", "full"]
    model: str
    budget: Budget
    timeoutMs: int
    fingerprint: str


class _LogMessage(TypedDict):
    type: Literal["log"]
    message: str
    timestamp: str


class LogMessage(_LogMessage, total=False):
    level: Literal["info", "warning", "error"]
    code: str
    hint: str


class ServerStarted(TypedDict):
    type: Literal["server_started"]
    url: str
    timestamp: str


class _TurnMessage(TypedDict):
    type: Literal["turn"]
    turnNumber: int
    timestamp: str


class TurnMessage(_TurnMessage, total=False):
    stopReason: str


class ToolCallMessage(TypedDict):
    type: Literal["tool_call"]
    toolName: str
    input: dict[str, Any]
    timestamp: str


class _ToolResultMessage(TypedDict):
    type: Literal["tool_result"]
    toolName: str
    resultPreview: str
    timestamp: str


class ToolResultMessage(_ToolResultMessage, total=False):
    isError: bool


class _SummaryMessage(TypedDict):
    type: Literal["summary"]
    turns: int
    cost: float
    timestamp: str


class SummaryMessage(_SummaryMessage, total=False):
    finishReason: str
    inputTokens: int
    outputTokens: int
    totalTokens: int
    reasoningTokens: int
    cachedInputTokens: int
    toolCallsCount: int
    warnings: list[str]
    session: str


class RootCause(TypedDict):
    file: str
    line: int
    explanation: str
    confidence: float


class Evidence(TypedDict):
    source: str
    finding: str


class Fix(TypedDict):
    unifiedDiff: str
    risk: Literal["low", "medium", "high"]


class _Findings(TypedDict):
    text: str
    evidence: list[Evidence]


class Findings(_Findings, total=False):
    rootCause: RootCause
    fix: Fix


class _ReportDataStats(TypedDict):
    turns: int
    cost: float


class ReportDataStats(_ReportDataStats, total=False):
    finishReason: str
    inputTokens: int
    outputTokens: int
    totalTokens: int
    reasoningTokens: int
    cachedInputTokens: int
    toolCallsCount: int
    warnings: list[str]
    session: str


class _ReportData(TypedDict):
    text: str
    evidence: list[Evidence]
    stats: ReportDataStats


class ReportData(_ReportData, total=False):
    rootCause: RootCause
    fix: Fix


class _DebugRecordFramesItem(TypedDict):
    filePath: str


class DebugRecordFramesItem(_DebugRecordFramesItem, total=False):
    line: int
    column: int
    functionName: str
    isUser: bool
    hasLocals: bool
    isAsync: bool
    of: str
    locals: list[ValueNode]


class _DebugRecordContextItem(TypedDict):
    name: str
    type: str
    value: ValueNode


class DebugRecordContextItem(_DebugRecordContextItem, total=False):
    description: str


class DebugRecord(TypedDict):
    protocol: int
    fingerprint: str
    language: str
    runtime: str
    timestamp: str
    pid: int
    projectRoot: str
    error: ErrorSummary
    frames: list[DebugRecordFramesItem]
    context: list[DebugRecordContextItem]
    console: list[ConsoleEntry]
    count: int


StatusMessage = Union[LogMessage, ServerStarted, TurnMessage, ToolCallMessage, ToolResultMessage, SummaryMessage]

DEBUG_TOOLS_JSON = r'''[
 {
  "name": "eval",
  "description": "Evaluate code in the running program. It sees `context`, each item of the context by its name, the variables of the frame if one is given, and the globals of the program. The value of the last expression is returned. `await` is allowed. Read-only evaluation refuses code that changes the program.",
  "inputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "code": {
     "type": "string"
    },
    "frame": {
     "type": "integer",
     "minimum": 0,
     "maximum": 9007199254740991,
     "description": "Index of a frame in the result of `frames`. 0 is where the error was thrown."
    },
    "readOnly": {
     "description": "Refuse side effects. Default: true, unless the access is `full`.",
     "type": "boolean"
    },
    "timeoutMs": {
     "description": "Default 5000.",
     "type": "integer",
     "minimum": 1,
     "maximum": 60000
    }
   },
   "required": [
    "code"
   ]
  },
  "outputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "result": {
     "type": "string"
    },
    "console": {
     "type": "array",
     "items": {
      "type": "object",
      "properties": {
       "seq": {
        "type": "integer",
        "exclusiveMinimum": 0,
        "maximum": 9007199254740991
       },
       "level": {
        "type": "string"
       },
       "text": {
        "type": "string"
       }
      },
      "required": [
       "seq",
       "level",
       "text"
      ],
      "additionalProperties": false
     }
    },
    "note": {
     "type": "string"
    }
   },
   "required": [
    "result",
    "console"
   ],
   "additionalProperties": false
  }
 },
 {
  "name": "frames",
  "description": "List the frames of the call stack of the error, the innermost first.",
  "inputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {}
  },
  "outputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "frames": {
     "type": "array",
     "items": {
      "type": "object",
      "properties": {
       "filePath": {
        "type": "string"
       },
       "line": {
        "type": "integer",
        "exclusiveMinimum": 0,
        "maximum": 9007199254740991
       },
       "column": {
        "type": "integer",
        "exclusiveMinimum": 0,
        "maximum": 9007199254740991
       },
       "functionName": {
        "type": "string"
       },
       "isUser": {
        "type": "boolean"
       },
       "hasLocals": {
        "type": "boolean"
       },
       "isAsync": {
        "type": "boolean"
       },
       "of": {
        "type": "string"
       }
      },
      "required": [
       "filePath"
      ],
      "additionalProperties": false
     }
    },
    "notes": {
     "type": "array",
     "items": {
      "type": "string"
     }
    }
   },
   "required": [
    "frames"
   ],
   "additionalProperties": false
  }
 },
 {
  "name": "locals",
  "description": "Show the variables of a frame as a tree, or a part of one variable.",
  "inputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "frame": {
     "type": "integer",
     "minimum": 0,
     "maximum": 9007199254740991,
     "description": "Index of a frame in the result of `frames`. 0 is where the error was thrown."
    },
    "path": {
     "description": "`path` of a value that was shown before. Default: all variables.",
     "type": "string"
    },
    "depth": {
     "description": "Default 2.",
     "type": "integer",
     "minimum": 1,
     "maximum": 6
    }
   },
   "required": [
    "frame"
   ]
  },
  "outputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "values": {
     "type": "array",
     "items": {
      "$ref": "#/$defs/__schema0"
     }
    }
   },
   "required": [
    "values"
   ],
   "additionalProperties": false,
   "$defs": {
    "__schema0": {
     "type": "object",
     "properties": {
      "name": {
       "type": "string"
      },
      "type": {
       "type": "string"
      },
      "preview": {
       "type": "string"
      },
      "size": {
       "type": "integer",
       "minimum": 0,
       "maximum": 9007199254740991
      },
      "path": {
       "type": "string"
      },
      "children": {
       "type": "array",
       "items": {
        "$ref": "#/$defs/__schema0"
       }
      },
      "omitted": {
       "type": "integer",
       "exclusiveMinimum": 0,
       "maximum": 9007199254740991
      }
     },
     "required": [
      "name",
      "type",
      "preview"
     ],
     "additionalProperties": false
    }
   }
  }
 },
 {
  "name": "source",
  "description": "Show lines of a source file of the program, as the program loaded it.",
  "inputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "file": {
     "type": "string"
    },
    "line": {
     "type": "integer",
     "exclusiveMinimum": 0,
     "maximum": 9007199254740991
    },
    "around": {
     "description": "Lines before and after. Default 10.",
     "type": "integer",
     "minimum": 0,
     "maximum": 200
    }
   },
   "required": [
    "file",
    "line"
   ]
  },
  "outputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "file": {
     "type": "string"
    },
    "first": {
     "type": "integer",
     "exclusiveMinimum": 0,
     "maximum": 9007199254740991
    },
    "text": {
     "type": "string"
    }
   },
   "required": [
    "file",
    "first",
    "text"
   ],
   "additionalProperties": false
  }
 },
 {
  "name": "console",
  "description": "Show what the program printed since the investigation started.",
  "inputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "since": {
     "description": "`seq` of the last known entry.",
     "type": "integer",
     "minimum": 0,
     "maximum": 9007199254740991
    }
   }
  },
  "outputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "entries": {
     "type": "array",
     "items": {
      "type": "object",
      "properties": {
       "seq": {
        "type": "integer",
        "exclusiveMinimum": 0,
        "maximum": 9007199254740991
       },
       "level": {
        "type": "string"
       },
       "text": {
        "type": "string"
       }
      },
      "required": [
       "seq",
       "level",
       "text"
      ],
      "additionalProperties": false
     }
    }
   },
   "required": [
    "entries"
   ],
   "additionalProperties": false
  }
 },
 {
  "name": "report",
  "description": "Report the result of the investigation, once, at the end: the root cause with file and line, the evidence that was seen in the program, and a patch if there is a safe one.",
  "inputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "text": {
     "type": "string"
    },
    "rootCause": {
     "type": "object",
     "properties": {
      "file": {
       "type": "string"
      },
      "line": {
       "type": "integer",
       "exclusiveMinimum": 0,
       "maximum": 9007199254740991
      },
      "explanation": {
       "type": "string"
      },
      "confidence": {
       "type": "number",
       "minimum": 0,
       "maximum": 1
      }
     },
     "required": [
      "file",
      "line",
      "explanation",
      "confidence"
     ]
    },
    "evidence": {
     "default": [],
     "type": "array",
     "items": {
      "type": "object",
      "properties": {
       "source": {
        "type": "string"
       },
       "finding": {
        "type": "string"
       }
      },
      "required": [
       "source",
       "finding"
      ]
     }
    },
    "fix": {
     "type": "object",
     "properties": {
      "unifiedDiff": {
       "type": "string"
      },
      "risk": {
       "type": "string",
       "enum": [
        "low",
        "medium",
        "high"
       ]
      }
     },
     "required": [
      "unifiedDiff",
      "risk"
     ]
    }
   },
   "required": [
    "text"
   ]
  },
  "outputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "accepted": {
     "type": "boolean"
    }
   },
   "required": [
    "accepted"
   ],
   "additionalProperties": false
  }
 }
]'''

IMPLEMENT_TOOLS_JSON = r'''[
 {
  "name": "set_result",
  "description": "Set the result. It must match the schema; a result that does not is refused with the reasons.",
  "inputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "result": {}
   },
   "required": [
    "result"
   ]
  },
  "outputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "accepted": {
     "type": "boolean"
    },
    "errors": {
     "type": "array",
     "items": {
      "type": "string"
     }
    },
    "attemptsLeft": {
     "type": "integer",
     "minimum": 0,
     "maximum": 9007199254740991
    }
   },
   "required": [
    "accepted"
   ],
   "additionalProperties": false
  }
 },
 {
  "name": "fail_implementation",
  "description": "Report that no result is possible, with the reason. Use it instead of an invented result.",
  "inputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "reason": {
     "type": "string"
    }
   },
   "required": [
    "reason"
   ]
  },
  "outputSchema": {
   "$schema": "https://json-schema.org/draft/2020-12/schema",
   "type": "object",
   "properties": {
    "accepted": {
     "type": "boolean"
    }
   },
   "required": [
    "accepted"
   ],
   "additionalProperties": false
  }
 }
]'''
