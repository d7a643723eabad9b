/** Names of the files shown in this tab, by id. */
export const fileNames = new Map<string, string>();
