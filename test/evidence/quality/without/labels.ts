/** No value by its label. */
// biome-ignore-all lint/performance/noBarrelFile: it stands in for the module that it passes on
// biome-ignore-all lint/performance/noReExportAll: all else is as in that module
export * from '../../../../agents/records/invoices/labelled-rules.ts';

export const choose = () => undefined;
