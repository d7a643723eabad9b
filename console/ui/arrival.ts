/** Whether the page that appears is the first one since the tab was opened. */

let isFirst = true;

export const isFirstPage = (): boolean => isFirst;
export const arrived = (): void => {
  isFirst = false;
};
