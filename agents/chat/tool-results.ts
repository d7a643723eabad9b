/** Results of tools that an answer may say without any file that has them. */

/** `output` is what the tool answered, in its own form. */
export type ToolResult = { tool: 'calculate' | 'query_table'; input: string; output: string };
