/** What forms know of the contracts. Written by `npm run contracts`. */
import type { Schema } from './schema.ts';

export const RESEARCH: Schema = {
  "type": "object",
  "properties": {
    "task_type": {
      "const": "research_agent"
    },
    "priority": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1,
      "maximum": 10,
      "default": 5
    },
    "input": {
      "type": "object",
      "properties": {
        "query": {
          "type": "string",
          "pattern": "\\S",
          "maxLength": 10000
        },
        "research_type": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "\\S",
          "maxLength": 200
        },
        "sources": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "string",
            "examples": [
              "financial_reports",
              "market_data",
              "news_feeds"
            ]
          },
          "minItems": 0,
          "maxItems": 50
        },
        "geographic_scope": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "string",
            "pattern": "\\S",
            "maxLength": 200
          },
          "minItems": 0,
          "maxItems": 50
        },
        "depth": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "\\S",
          "maxLength": 200
        },
        "analysis_depth": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "\\S",
          "maxLength": 200
        },
        "deliverables": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "string",
            "pattern": "\\S",
            "maxLength": 200
          },
          "minItems": 0,
          "maxItems": 50
        },
        "output_format": {
          "anyOf": [
            {
              "enum": [
                "json",
                "markdown",
                "html",
                "pdf"
              ],
              "type": "string"
            },
            {
              "type": "null"
            }
          ]
        }
      },
      "required": [
        "query"
      ]
    },
    "webhook_url": {
      "type": [
        "string",
        "null"
      ],
      "format": "uri"
    },
    "metadata": {
      "type": [
        "object",
        "null"
      ],
      "maxProperties": 16,
      "propertyNames": {
        "maxLength": 64
      },
      "additionalProperties": {
        "type": "string",
        "maxLength": 512
      }
    },
    "timeout_minutes": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1,
      "maximum": 240,
      "default": 60
    }
  },
  "required": [
    "task_type",
    "input"
  ]
};

export const PROCESSING: Schema = {
  "type": "object",
  "properties": {
    "task_type": {
      "const": "processing_agent"
    },
    "priority": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1,
      "maximum": 10,
      "default": 5
    },
    "input": {
      "type": "object",
      "properties": {
        "documents": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "url": {
                "type": "string",
                "maxLength": 2048,
                "format": "uri"
              },
              "type": {
                "type": [
                  "string",
                  "null"
                ],
                "pattern": "\\S",
                "maxLength": 200
              }
            },
            "required": [
              "url"
            ]
          },
          "minItems": 1,
          "maxItems": 50
        },
        "processing_type": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "\\S",
          "maxLength": 200
        },
        "extraction_rules": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "string",
            "pattern": "\\S",
            "maxLength": 1000
          },
          "minItems": 0,
          "maxItems": 50
        },
        "output_format": {
          "anyOf": [
            {
              "enum": [
                "json",
                "csv",
                "xlsx",
                "markdown"
              ],
              "type": "string"
            },
            {
              "type": "null"
            }
          ]
        }
      },
      "required": [
        "documents"
      ]
    },
    "webhook_url": {
      "type": [
        "string",
        "null"
      ],
      "format": "uri"
    },
    "metadata": {
      "type": [
        "object",
        "null"
      ],
      "maxProperties": 16,
      "propertyNames": {
        "maxLength": 64
      },
      "additionalProperties": {
        "type": "string",
        "maxLength": 512
      }
    },
    "timeout_minutes": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1,
      "maximum": 240,
      "default": 60
    }
  },
  "required": [
    "task_type",
    "input"
  ]
};

export const NOTIFICATION: Schema = {
  "type": "object",
  "properties": {
    "task_type": {
      "const": "notification_agent"
    },
    "priority": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1,
      "maximum": 10,
      "default": 5
    },
    "input": {
      "type": "object",
      "properties": {
        "notification_type": {
          "type": [
            "string",
            "null"
          ],
          "pattern": "\\S",
          "maxLength": 200
        },
        "schedule": {
          "type": [
            "object",
            "null"
          ],
          "properties": {
            "frequency": {
              "anyOf": [
                {
                  "enum": [
                    "once",
                    "daily",
                    "weekly",
                    "monthly"
                  ],
                  "type": "string"
                },
                {
                  "type": "null"
                }
              ]
            },
            "day_of_week": {
              "anyOf": [
                {
                  "enum": [
                    "monday",
                    "tuesday",
                    "wednesday",
                    "thursday",
                    "friday",
                    "saturday",
                    "sunday"
                  ],
                  "type": "string"
                },
                {
                  "type": "null"
                }
              ]
            },
            "day_of_month": {
              "type": [
                "integer",
                "null"
              ],
              "minimum": 1,
              "maximum": 31
            },
            "time": {
              "type": [
                "string",
                "null"
              ],
              "pattern": "^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$"
            },
            "timezone": {
              "type": [
                "string",
                "null"
              ],
              "pattern": "\\S",
              "maxLength": 200
            }
          }
        },
        "content": {
          "type": "object",
          "properties": {
            "recipients": {
              "type": "array",
              "items": {
                "type": "string",
                "maxLength": 254,
                "format": "email"
              },
              "minItems": 1,
              "maxItems": 100
            },
            "data_sources": {
              "type": [
                "array",
                "null"
              ],
              "items": {
                "type": "string",
                "examples": [
                  "financial_reports",
                  "market_data",
                  "news_feeds"
                ]
              },
              "minItems": 0,
              "maxItems": 50
            },
            "format": {
              "anyOf": [
                {
                  "enum": [
                    "html",
                    "markdown",
                    "text"
                  ],
                  "type": "string"
                },
                {
                  "type": "null"
                }
              ]
            },
            "include_charts": {
              "type": [
                "boolean",
                "null"
              ]
            },
            "subject": {
              "type": [
                "string",
                "null"
              ],
              "pattern": "\\S",
              "maxLength": 150
            },
            "message": {
              "type": [
                "string",
                "null"
              ],
              "pattern": "\\S",
              "maxLength": 5000
            }
          },
          "required": [
            "recipients"
          ]
        }
      },
      "required": [
        "content"
      ]
    },
    "webhook_url": {
      "type": [
        "string",
        "null"
      ],
      "format": "uri"
    },
    "metadata": {
      "type": [
        "object",
        "null"
      ],
      "maxProperties": 16,
      "propertyNames": {
        "maxLength": 64
      },
      "additionalProperties": {
        "type": "string",
        "maxLength": 512
      }
    },
    "timeout_minutes": {
      "type": [
        "integer",
        "null"
      ],
      "minimum": 1,
      "maximum": 240,
      "default": 60
    }
  },
  "required": [
    "task_type",
    "input"
  ]
};

export const CANCEL_WISH: Schema = {
  "type": "object",
  "properties": {
    "reason": {
      "type": [
        "string",
        "null"
      ],
      "pattern": "\\S",
      "maxLength": 500
    },
    "force": {
      "type": [
        "boolean",
        "null"
      ],
      "default": false
    }
  }
};

export const NEW_TASK: Schema = {
  "type": "object",
  "properties": {
    "delivery": {
      "type": "object",
      "properties": {
        "type": {
          "const": "webhook"
        },
        "config": {
          "type": "object",
          "properties": {
            "endpoint": {
              "type": "string",
              "minLength": 1
            },
            "frequency": {
              "anyOf": [
                {
                  "const": "on_finish"
                },
                {
                  "type": "null"
                }
              ]
            }
          },
          "required": [
            "endpoint"
          ]
        }
      },
      "required": [
        "type",
        "config"
      ]
    },
    "input": {
      "type": "object",
      "properties": {
        "type": {
          "const": "chat"
        },
        "prompt": {
          "type": "string",
          "minLength": 1,
          "maxLength": 100000
        },
        "model": {
          "type": [
            "string",
            "null"
          ],
          "minLength": 1
        },
        "fileIds": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "string"
          },
          "maxItems": 20
        },
        "workflowIds": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "string"
          },
          "maxItems": 20
        },
        "rulesetIds": {
          "type": [
            "array",
            "null"
          ],
          "items": {
            "type": "string"
          },
          "maxItems": 20
        }
      },
      "required": [
        "type",
        "prompt"
      ]
    },
    "namespace": {
      "type": "string",
      "minLength": 1,
      "maxLength": 128
    }
  },
  "required": [
    "delivery",
    "input",
    "namespace"
  ]
};

export const STAGES: Record<string, readonly string[]> = {
  "research_agent": [
    "planning",
    "gathering",
    "ranking",
    "reading",
    "writing"
  ],
  "processing_agent": [
    "reading",
    "asking",
    "writing"
  ],
  "notification_agent": [
    "gathering",
    "composing",
    "sending",
    "reporting"
  ]
};
