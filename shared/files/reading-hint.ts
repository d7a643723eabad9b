/** The hint to read a file uses the same lanes as hints for tasks, under a name that no task has. */

const FILE_NAME = 'file:';
export const hintNameOf = (fileId: string): string => FILE_NAME + fileId;
export const fileIdOfHint = (name: string): string | undefined =>
  name.startsWith(FILE_NAME) ? name.slice(FILE_NAME.length) : undefined;
