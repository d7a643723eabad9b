/** How the files are called that were shown in this tab, by their ids. */
export const fileNames = new Map<string, string>();
