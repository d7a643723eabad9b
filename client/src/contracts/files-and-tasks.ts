/** Requests and responses of the Files & Tasks API. Written by `npm run contracts`. */

export type Health = {
  /** Always `ok`: the service accepts calls. */
  status: 'ok';
  /** The version of Errand that answers, such as `0.2.0`. */
  version: string;
};

export type Document = {
  /** The head of an OpenAPI or AsyncAPI document; the rest follows that specification. */
  info: {
    /** The name of the API that it describes. */
    title: string;
    /** The version of Errand that it belongs to. */
    version: string;
    [name: string]: unknown;
  };
  [name: string]: unknown;
};

export type FileReference = {
  /** The id of the file, which tasks name in `input.fileIds`. */
  fileId: string;
};

export type UploadOffer = {
  /** A signed URL for one `PUT` of the bytes, without a key; valid for one hour. */
  uploadUrl: string;
  /** The id of the file, which exists once the upload is completed. */
  fileId: string;
  /** Identifies the upload; send it back unchanged in `POST /files/{fileId}/complete`. */
  storagePath: string;
};

export type FileInList = {
  /** The id of the file, which tasks name in `input.fileIds`. */
  fileId: string;
  /** The name with its extension, from the upload or from the server it was fetched from. */
  fileName: string;
  /** The media type as given at the upload, or sent by the server, such as `application/pdf`. */
  mimeType: string;
  /** The length of the content in bytes. */
  size: number;
  /** When the content was stored, in UTC; the retention period starts here. */
  createdAt: string;
};

export type StoredFile = {
  /** The id of the file, which tasks name in `input.fileIds`. */
  fileId: string;
  /** The name with its extension, from the upload or from the server it was fetched from. */
  fileName: string;
  /** The media type as given at the upload, or sent by the server, such as `application/pdf`. */
  mimeType: string;
  /** The length of the content in bytes. */
  size: number;
  /** When the content was stored, in UTC; the retention period starts here. */
  createdAt: string;
  /** A signed URL to download the content from, without a key; valid for ten minutes. */
  url: string;
  /** Until when `url` works, in UTC; read the file again for another URL. */
  urlExpiresAt: string;
};

export type FilePage = {
  /** The files of the organization, the newest first; at most `limit`. */
  files: FileInList[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  nextCursor: string | null;
};

export type FileText = {
  /** The file that was asked for, by its id. */
  fileId: string;
  /** The format that was found, such as `pdf`, `docx`, `xlsx`, `html`, `csv`, `text` or `image`. */
  kind: string;
  /** The BCP 47 tag of the main language, such as `en`; null if it is not clear. */
  language: string | null;
  /** The version of the readers; files are read again when it changes. */
  readerVersion: string;
  /** The title of a web page, in the view `main`. */
  title?: string | undefined;
  /** The author that a web page names, in the view `main`. */
  author?: string | undefined;
  /** When a web page says that it was published, in the view `main`. */
  date?: string | undefined;
  /** The address that a web page gives for itself, in the view `main`. */
  canonicalUrl?: string | undefined;
  /** The pages of the range; empty for workbooks and CSV files. */
  pages: Array<{
    /** The number of the page or slide, from 1; other documents have parts, which are numbered. */
    number: number;
    /** Where it stands, as answers cite it, such as `page 3`, `section Payment` or `Costs!B4:F40`. */
    place: string;
    /** The visible text of the page as Markdown. */
    text: string;
    /** The blocks of the page in reading order, hidden ones included. */
    blocks: Array<{
      /** `heading`, `paragraph`, `list` or `table`; readers may add kinds, such as `header` and `footer`. */
      kind: string;
      /** The text of the block as Markdown. */
      text: string;
      /** Where it stands on the page, in points of 1/72 inch, or in pixels of an image file; absent if the reader does not know. */
      box?: {
        /** The left edge, from the left edge of the page. */
        x: number;
        /** The upper edge, from the top of the page. */
        y: number;
        /** The width of the box. */
        width: number;
        /** The height of the box. */
        height: number;
      } | undefined;
      /** A person who opens the file does not see this text; it proves nothing. */
      hidden?: true | undefined;
      /** Present if text recognition read the block from a picture. */
      ocr?: {
        /** How sure text recognition was of the letters of the block, from 0 to 1. */
        confidence: number;
        /** The words of the block, each with its place. */
        words: Array<{
          /** The word as it was recognized. */
          text: string;
          /** How sure text recognition was of the word, from 0 to 1. */
          confidence: number;
          /** Where it stands on the page, in points of 1/72 inch, or in pixels of an image file; absent if the reader does not know. */
          box: {
            /** The left edge, from the left edge of the page. */
            x: number;
            /** The upper edge, from the top of the page. */
            y: number;
            /** The width of the box. */
            width: number;
            /** The height of the box. */
            height: number;
          };
        }>;
      } | undefined;
      /** The position in reading order on the page, from 0. */
      order: number;
    }>;
    /** Present if text recognition read the page from a picture. */
    ocr?: {
      /** How sure text recognition was of the letters of the page, from 0 to 1. */
      confidence: number;
    } | undefined;
  }>;
  /** The tables of these pages, each at the page where it begins. */
  tables: Array<{
    /** Where it stands, as answers cite it, such as `page 3`, `section Payment` or `Costs!B4:F40`. */
    place: string;
    /** Where it stands on the page, in points of 1/72 inch, or in pixels of an image file; absent if the reader does not know. */
    box?: {
      /** The left edge, from the left edge of the page. */
      x: number;
      /** The upper edge, from the top of the page. */
      y: number;
      /** The width of the box. */
      width: number;
      /** The height of the box. */
      height: number;
    } | undefined;
    /** How many rows make up the header; 0 if the table has none. */
    headerRows: number;
    /** One name for each column; names of several header rows are joined by ` / `. */
    header: string[];
    /** The texts of the cells, row by row. */
    rows: Array<string[]>;
    /** The number of rows below the header, also if not all of them are shown. */
    rowCount: number;
  }>;
  /** The sheets of the range; empty for documents. */
  sheets: Array<{
    /** The name of the sheet; empty for a CSV file. */
    name: string;
    /** True if the program hides the sheet. */
    hidden: boolean;
    /** The tables of the sheet, each whole. */
    tables: Array<{
      /** Where it stands, as answers cite it, such as `page 3`, `section Payment` or `Costs!B4:F40`. */
      place: string;
      /** How many rows make up the header; 0 if the table has none. */
      headerRows: number;
      /** One name for each column; names of several header rows are joined by ` / `. */
      header: string[];
      /** The row of units below the header, one text for each column. */
      units?: string[] | undefined;
      /** The cells, row by row. */
      rows: Array<Array<{
        /** The cell as the spreadsheet program shows it. */
        text: string;
        /** The stored value: ISO 8601 for dates, the fraction for percentages, null for an empty cell. */
        value: string | number | boolean | null;
        /** The type of the value, by its number format. */
        type: 'text' | 'number' | 'date' | 'percent' | 'currency' | 'boolean' | 'empty';
        /** The ISO 4217 code, if the number format names the currency. */
        currency?: string | undefined;
      }>>;
      /** The number of rows below the header, also if not all of them are shown. */
      rowCount: number;
      /** Positions in `rows`, from 0, of rows that the program hides. */
      hiddenRows: number[];
      /** Positions in `header`, from 0, of columns that the program hides. */
      hiddenColumns: number[];
    }>;
    /** Titles, footnotes and other texts that stand alone in their row. */
    texts: Array<{
      /** Where it stands, as answers cite it, such as `page 3`, `section Payment` or `Costs!B4:F40`. */
      place: string;
      /** The text at that cell. */
      text: string;
    }>;
    /** The comments that people wrote on cells. */
    comments: Array<{
      /** Where it stands, as answers cite it, such as `page 3`, `section Payment` or `Costs!B4:F40`. */
      place: string;
      /** The text at that cell. */
      text: string;
    }>;
    /** Text boxes, charts and alternative texts of pictures, as Markdown, at the cell of their corner. */
    drawings: Array<{
      /** Where it stands, as answers cite it, such as `page 3`, `section Payment` or `Costs!B4:F40`. */
      place: string;
      /** The text at that cell. */
      text: string;
    }>;
    /** Cells in which a person sees nothing, such as white text on white. */
    hiddenTexts: Array<{
      /** Where it stands, as answers cite it, such as `page 3`, `section Payment` or `Costs!B4:F40`. */
      place: string;
      /** The text at that cell. */
      text: string;
    }>;
  }>;
  /** What the reader could not read, or what is too long to be shown. */
  notRead: Array<{
    /** Where it stands, as answers cite it, such as `page 3`, `section Payment` or `Costs!B4:F40`. */
    place: string;
    /** Why the part was not read, for a person to read. */
    reason: string;
  }>;
};

export type FileReading = {
  /** The file that was asked for, by its id. */
  fileId: string;
  /** Always `reading`: ask again after `Retry-After` seconds. */
  status: 'reading';
};

export type TaskReference = {
  /** The id of the accepted task; use it to poll for the result. */
  taskId: string;
};

/** A ZIP of the files that the model wrote, the results of several steps, and the record of `input.outputSchema`; absent if there are none. */
export type Archive = {
  /** A signed URL to download the ZIP from, without a key; signed again for each answer. */
  presignedUrl: string;
  /** Until when `presignedUrl` works, in UTC; read the task again for another URL. */
  expiresAt: string;
  /** The length of the ZIP in bytes. */
  sizeBytes: number;
};

export type OpenTask = {
  /** The id of the task, as `POST /tasks` returned it. */
  taskId: string;
  /** The group that the task was submitted in. */
  namespace: string;
  /** `waiting`: no worker has started it yet. `active`: it runs, or waits for its next attempt. */
  status: 'waiting' | 'active';
  /** When the task was accepted, in UTC. */
  createdAt: string;
  /** Only with `include=waiting`, while its model is busy or away: the model, its last answer and the time of the next try. */
  waitingFor?: string | undefined;
};

export type SucceededTask = {
  /** The id of the task, as `POST /tasks` returned it. */
  taskId: string;
  /** The group that the task was submitted in. */
  namespace: string;
  /** Always `success`: the task has finished and `output` holds its answer. */
  status: 'success';
  /** When the task was accepted, in UTC. */
  createdAt: string;
  /** When the task reached its final state, in UTC. */
  completedAt: string;
  /** What the task produced: a text, the record if it has a schema, and the files that were written. */
  output: {
    /** The answer of the model, that of the last step with workflows, or the record as a table, as Markdown. */
    text: string;
    /** With two steps or more: the result of each step that was done, in order; absent in lists of tasks. */
    steps?: Array<{
      /** The number of the step, from 1; steps count over all workflows of the task. */
      number: number;
      /** How the workflow calls the step. */
      name: string;
      /** What the step came to, as Markdown. */
      text: string;
      /** Set if the text was cut in this answer; its file in the archive has all of it. */
      truncated?: true | undefined;
    }> | undefined;
    /** The record of all files, or an array with one of each, valid in `schema`; with a schema only. */
    data?: Record<string, unknown> | Array<Record<string, unknown>> | undefined;
    /** The schema of `data`: `input.outputSchema`, but every field may be null. */
    schema?: Record<string, unknown> | undefined;
    /** With a schema: whether every wanted field has a value. Without one: false if no language model was configured. */
    complete?: boolean | undefined;
    /** The paths of wanted fields without a value. */
    missing?: string[] | undefined;
    /** How each field of the record is known, and where it stands. */
    fields?: Array<{
      /** Names from the root joined by points, entries of arrays by number: `lines.0.amount`. */
      path: string;
      /** `proven`: value and label stand in the quote. `judged`: position, form or a second look speak for it. `unverified`: a model gave it, and evidence or second look is lacking; null unless `accept` names it. Null otherwise. */
      status: 'proven' | 'computed' | 'judged' | 'unverified' | 'missing' | 'conflict';
      /** The value in the type of the schema; null if it is missing, in conflict or not accepted. */
      value: string | number | boolean | null;
      /** Where the value stands; in a conflict, each of the values. */
      basis: Array<{
        /** The number of the document, from 1, as the results list their documents. */
        document: number;
        /** Where the quote stands, such as `page 2` or `sheet Costs`. */
        place: string;
        /** At most 300 characters of the document, word for word; in a table its row. */
        quote: string;
        /** In a table: the head of the column of the value. */
        column?: string | undefined;
        /** The number of the page, slide or sheet, from 1. */
        page?: number | undefined;
        /** Where the quote begins in the text of its place, in UTF-16 code units. */
        from?: number | undefined;
        /** Where the quote ends in the text of its place. */
        to?: number | undefined;
        /** Who looked at value and quote a second time; absent if nobody did. */
        looked_by?: 'same_model' | 'verify_model' | undefined;
      }>;
      /** Which words or position speak for the value, or why there is none. */
      reason: string;
      /** Values that were found and not taken, the likeliest first; also the value that is not accepted. */
      candidates: Array<{
        /** Another value that was found and not taken. */
        value: string | number | boolean;
        /** Where the other value stands. */
        basis: {
          /** The number of the document, from 1, as the results list their documents. */
          document: number;
          /** Where the quote stands, such as `page 2` or `sheet Costs`. */
          place: string;
          /** At most 300 characters of the document, word for word; in a table its row. */
          quote: string;
          /** In a table: the head of the column of the value. */
          column?: string | undefined;
          /** The number of the page, slide or sheet, from 1. */
          page?: number | undefined;
          /** Where the quote begins in the text of its place, in UTF-16 code units. */
          from?: number | undefined;
          /** Where the quote ends in the text of its place. */
          to?: number | undefined;
          /** Who looked at value and quote a second time; absent if nobody did. */
          looked_by?: 'same_model' | 'verify_model' | undefined;
        };
        /** Which words or position speak for the other value. */
        reason: string;
      }>;
    }> | undefined;
    /** What the record was read from. */
    documents?: Array<{
      /** Its number in `basis`: from 1, in the order of `input.fileIds`. */
      document: number;
      /** The id of the file; null for the prompt of a task without files. */
      fileId: string | null;
      /** The name of the file, or `prompt`. */
      name: string;
    }> | undefined;
    /** Set if long lists were cut in this answer; `data.json` in the archive has all. */
    truncated?: true | undefined;
    /** A ZIP of the files that the model wrote, the results of several steps, and the record of `input.outputSchema`; absent if there are none. */
    archive?: Archive | undefined;
  };
  /** The version of the instructions that the language model got; absent if none was asked. */
  promptVersion?: string | undefined;
  /** Parts of the request that had no effect, a second model that answered, and scripts that a saved PDF cannot show, one text each; absent if there are none. */
  warnings?: string[] | undefined;
  /** Tokens of all model calls of the task; absent if it called no model. */
  usage?: TokenUsage | undefined;
};

export type FailedTask = {
  /** The id of the task, as `POST /tasks` returned it. */
  taskId: string;
  /** The group that the task was submitted in. */
  namespace: string;
  /** Always `failure`: the task has finished without an answer; `error` says why. */
  status: 'failure';
  /** When the task was accepted, in UTC. */
  createdAt: string;
  /** When the task reached its final state, in UTC. */
  completedAt: string;
  /** Why the task has no output. */
  error: {
    /** What went wrong and what to do, for a person to read. */
    message: string;
    /** The kind of failure, for a program; `TASK_CANCELLED` after a cancel. */
    code: 'PROCESSING_FAILED' | 'FILE_UNAVAILABLE' | 'TASK_TIMEOUT' | 'TASK_CANCELLED' | 'MODEL_UNAVAILABLE' | 'BUDGET_EXCEEDED';
  };
  /** What a chat had produced when it failed: at a limit or its budget, in a later step, or a record with gaps; absent if nothing. */
  partial?: {
    /** The last text that the model wrote, as Markdown; it is not an answer. */
    text?: string | undefined;
    /** With two steps or more: the result of each step that was done, in order; absent in lists of tasks. */
    steps?: Array<{
      /** The number of the step, from 1; steps count over all workflows of the task. */
      number: number;
      /** How the workflow calls the step. */
      name: string;
      /** What the step came to, as Markdown. */
      text: string;
      /** Set if the text was cut in this answer; its file in the archive has all of it. */
      truncated?: true | undefined;
    }> | undefined;
    /** The record of all files, or an array with one of each, valid in `schema`; with a schema only. */
    data?: Record<string, unknown> | Array<Record<string, unknown>> | undefined;
    /** The schema of `data`: `input.outputSchema`, but every field may be null. */
    schema?: Record<string, unknown> | undefined;
    /** With a schema: whether every wanted field has a value. Without one: false if no language model was configured. */
    complete?: boolean | undefined;
    /** The paths of wanted fields without a value. */
    missing?: string[] | undefined;
    /** How each field of the record is known, and where it stands. */
    fields?: Array<{
      /** Names from the root joined by points, entries of arrays by number: `lines.0.amount`. */
      path: string;
      /** `proven`: value and label stand in the quote. `judged`: position, form or a second look speak for it. `unverified`: a model gave it, and evidence or second look is lacking; null unless `accept` names it. Null otherwise. */
      status: 'proven' | 'computed' | 'judged' | 'unverified' | 'missing' | 'conflict';
      /** The value in the type of the schema; null if it is missing, in conflict or not accepted. */
      value: string | number | boolean | null;
      /** Where the value stands; in a conflict, each of the values. */
      basis: Array<{
        /** The number of the document, from 1, as the results list their documents. */
        document: number;
        /** Where the quote stands, such as `page 2` or `sheet Costs`. */
        place: string;
        /** At most 300 characters of the document, word for word; in a table its row. */
        quote: string;
        /** In a table: the head of the column of the value. */
        column?: string | undefined;
        /** The number of the page, slide or sheet, from 1. */
        page?: number | undefined;
        /** Where the quote begins in the text of its place, in UTF-16 code units. */
        from?: number | undefined;
        /** Where the quote ends in the text of its place. */
        to?: number | undefined;
        /** Who looked at value and quote a second time; absent if nobody did. */
        looked_by?: 'same_model' | 'verify_model' | undefined;
      }>;
      /** Which words or position speak for the value, or why there is none. */
      reason: string;
      /** Values that were found and not taken, the likeliest first; also the value that is not accepted. */
      candidates: Array<{
        /** Another value that was found and not taken. */
        value: string | number | boolean;
        /** Where the other value stands. */
        basis: {
          /** The number of the document, from 1, as the results list their documents. */
          document: number;
          /** Where the quote stands, such as `page 2` or `sheet Costs`. */
          place: string;
          /** At most 300 characters of the document, word for word; in a table its row. */
          quote: string;
          /** In a table: the head of the column of the value. */
          column?: string | undefined;
          /** The number of the page, slide or sheet, from 1. */
          page?: number | undefined;
          /** Where the quote begins in the text of its place, in UTF-16 code units. */
          from?: number | undefined;
          /** Where the quote ends in the text of its place. */
          to?: number | undefined;
          /** Who looked at value and quote a second time; absent if nobody did. */
          looked_by?: 'same_model' | 'verify_model' | undefined;
        };
        /** Which words or position speak for the other value. */
        reason: string;
      }>;
    }> | undefined;
    /** What the record was read from. */
    documents?: Array<{
      /** Its number in `basis`: from 1, in the order of `input.fileIds`. */
      document: number;
      /** The id of the file; null for the prompt of a task without files. */
      fileId: string | null;
      /** The name of the file, or `prompt`. */
      name: string;
    }> | undefined;
    /** Set if long lists were cut in this answer; `data.json` in the archive has all. */
    truncated?: true | undefined;
    /** A ZIP of the files that the model wrote, the results of several steps, and the record of `input.outputSchema`; absent if there are none. */
    archive?: Archive | undefined;
  } | undefined;
  /** Parts of the request that had no effect, a second model that answered, and scripts that a saved PDF cannot show, one text each; absent if there are none. */
  warnings?: string[] | undefined;
  /** Tokens of all model calls of the task; absent if it called no model. */
  usage?: TokenUsage | undefined;
};

export type Task = OpenTask | SucceededTask | FailedTask;

export type EndedTask = SucceededTask | FailedTask;

export type TaskInList = {
  /** The id of the task, as `POST /tasks` returned it. */
  taskId: string;
  /** The group that the task was submitted in. */
  namespace: string;
  /** `waiting`: no worker has started it yet. `active`: it runs, or waits for its next attempt. */
  status: 'waiting' | 'active';
  /** When the task was accepted, in UTC. */
  createdAt: string;
  /** Only with `include=waiting`, while its model is busy or away: the model, its last answer and the time of the next try. */
  waitingFor?: string | undefined;
  /** The beginning of the prompt; only with `include=title`, null if the prompt is gone. */
  title?: string | null | undefined;
} | {
  /** The id of the task, as `POST /tasks` returned it. */
  taskId: string;
  /** The group that the task was submitted in. */
  namespace: string;
  /** Always `success`: the task has finished and `output` holds its answer. */
  status: 'success';
  /** When the task was accepted, in UTC. */
  createdAt: string;
  /** When the task reached its final state, in UTC. */
  completedAt: string;
  /** What the task produced: a text, the record if it has a schema, and the files that were written. */
  output: {
    /** The answer of the model, that of the last step with workflows, or the record as a table, as Markdown. */
    text: string;
    /** With two steps or more: the result of each step that was done, in order; absent in lists of tasks. */
    steps?: Array<{
      /** The number of the step, from 1; steps count over all workflows of the task. */
      number: number;
      /** How the workflow calls the step. */
      name: string;
      /** What the step came to, as Markdown. */
      text: string;
      /** Set if the text was cut in this answer; its file in the archive has all of it. */
      truncated?: true | undefined;
    }> | undefined;
    /** The record of all files, or an array with one of each, valid in `schema`; with a schema only. */
    data?: Record<string, unknown> | Array<Record<string, unknown>> | undefined;
    /** The schema of `data`: `input.outputSchema`, but every field may be null. */
    schema?: Record<string, unknown> | undefined;
    /** With a schema: whether every wanted field has a value. Without one: false if no language model was configured. */
    complete?: boolean | undefined;
    /** The paths of wanted fields without a value. */
    missing?: string[] | undefined;
    /** How each field of the record is known, and where it stands. */
    fields?: Array<{
      /** Names from the root joined by points, entries of arrays by number: `lines.0.amount`. */
      path: string;
      /** `proven`: value and label stand in the quote. `judged`: position, form or a second look speak for it. `unverified`: a model gave it, and evidence or second look is lacking; null unless `accept` names it. Null otherwise. */
      status: 'proven' | 'computed' | 'judged' | 'unverified' | 'missing' | 'conflict';
      /** The value in the type of the schema; null if it is missing, in conflict or not accepted. */
      value: string | number | boolean | null;
      /** Where the value stands; in a conflict, each of the values. */
      basis: Array<{
        /** The number of the document, from 1, as the results list their documents. */
        document: number;
        /** Where the quote stands, such as `page 2` or `sheet Costs`. */
        place: string;
        /** At most 300 characters of the document, word for word; in a table its row. */
        quote: string;
        /** In a table: the head of the column of the value. */
        column?: string | undefined;
        /** The number of the page, slide or sheet, from 1. */
        page?: number | undefined;
        /** Where the quote begins in the text of its place, in UTF-16 code units. */
        from?: number | undefined;
        /** Where the quote ends in the text of its place. */
        to?: number | undefined;
        /** Who looked at value and quote a second time; absent if nobody did. */
        looked_by?: 'same_model' | 'verify_model' | undefined;
      }>;
      /** Which words or position speak for the value, or why there is none. */
      reason: string;
      /** Values that were found and not taken, the likeliest first; also the value that is not accepted. */
      candidates: Array<{
        /** Another value that was found and not taken. */
        value: string | number | boolean;
        /** Where the other value stands. */
        basis: {
          /** The number of the document, from 1, as the results list their documents. */
          document: number;
          /** Where the quote stands, such as `page 2` or `sheet Costs`. */
          place: string;
          /** At most 300 characters of the document, word for word; in a table its row. */
          quote: string;
          /** In a table: the head of the column of the value. */
          column?: string | undefined;
          /** The number of the page, slide or sheet, from 1. */
          page?: number | undefined;
          /** Where the quote begins in the text of its place, in UTF-16 code units. */
          from?: number | undefined;
          /** Where the quote ends in the text of its place. */
          to?: number | undefined;
          /** Who looked at value and quote a second time; absent if nobody did. */
          looked_by?: 'same_model' | 'verify_model' | undefined;
        };
        /** Which words or position speak for the other value. */
        reason: string;
      }>;
    }> | undefined;
    /** What the record was read from. */
    documents?: Array<{
      /** Its number in `basis`: from 1, in the order of `input.fileIds`. */
      document: number;
      /** The id of the file; null for the prompt of a task without files. */
      fileId: string | null;
      /** The name of the file, or `prompt`. */
      name: string;
    }> | undefined;
    /** Set if long lists were cut in this answer; `data.json` in the archive has all. */
    truncated?: true | undefined;
    /** A ZIP of the files that the model wrote, the results of several steps, and the record of `input.outputSchema`; absent if there are none. */
    archive?: Archive | undefined;
  };
  /** The version of the instructions that the language model got; absent if none was asked. */
  promptVersion?: string | undefined;
  /** Parts of the request that had no effect, a second model that answered, and scripts that a saved PDF cannot show, one text each; absent if there are none. */
  warnings?: string[] | undefined;
  /** Tokens of all model calls of the task; absent if it called no model. */
  usage?: TokenUsage | undefined;
  /** The beginning of the prompt; only with `include=title`, null if the prompt is gone. */
  title?: string | null | undefined;
} | {
  /** The id of the task, as `POST /tasks` returned it. */
  taskId: string;
  /** The group that the task was submitted in. */
  namespace: string;
  /** Always `failure`: the task has finished without an answer; `error` says why. */
  status: 'failure';
  /** When the task was accepted, in UTC. */
  createdAt: string;
  /** When the task reached its final state, in UTC. */
  completedAt: string;
  /** Why the task has no output. */
  error: {
    /** What went wrong and what to do, for a person to read. */
    message: string;
    /** The kind of failure, for a program; `TASK_CANCELLED` after a cancel. */
    code: 'PROCESSING_FAILED' | 'FILE_UNAVAILABLE' | 'TASK_TIMEOUT' | 'TASK_CANCELLED' | 'MODEL_UNAVAILABLE' | 'BUDGET_EXCEEDED';
  };
  /** What a chat had produced when it failed: at a limit or its budget, in a later step, or a record with gaps; absent if nothing. */
  partial?: {
    /** The last text that the model wrote, as Markdown; it is not an answer. */
    text?: string | undefined;
    /** With two steps or more: the result of each step that was done, in order; absent in lists of tasks. */
    steps?: Array<{
      /** The number of the step, from 1; steps count over all workflows of the task. */
      number: number;
      /** How the workflow calls the step. */
      name: string;
      /** What the step came to, as Markdown. */
      text: string;
      /** Set if the text was cut in this answer; its file in the archive has all of it. */
      truncated?: true | undefined;
    }> | undefined;
    /** The record of all files, or an array with one of each, valid in `schema`; with a schema only. */
    data?: Record<string, unknown> | Array<Record<string, unknown>> | undefined;
    /** The schema of `data`: `input.outputSchema`, but every field may be null. */
    schema?: Record<string, unknown> | undefined;
    /** With a schema: whether every wanted field has a value. Without one: false if no language model was configured. */
    complete?: boolean | undefined;
    /** The paths of wanted fields without a value. */
    missing?: string[] | undefined;
    /** How each field of the record is known, and where it stands. */
    fields?: Array<{
      /** Names from the root joined by points, entries of arrays by number: `lines.0.amount`. */
      path: string;
      /** `proven`: value and label stand in the quote. `judged`: position, form or a second look speak for it. `unverified`: a model gave it, and evidence or second look is lacking; null unless `accept` names it. Null otherwise. */
      status: 'proven' | 'computed' | 'judged' | 'unverified' | 'missing' | 'conflict';
      /** The value in the type of the schema; null if it is missing, in conflict or not accepted. */
      value: string | number | boolean | null;
      /** Where the value stands; in a conflict, each of the values. */
      basis: Array<{
        /** The number of the document, from 1, as the results list their documents. */
        document: number;
        /** Where the quote stands, such as `page 2` or `sheet Costs`. */
        place: string;
        /** At most 300 characters of the document, word for word; in a table its row. */
        quote: string;
        /** In a table: the head of the column of the value. */
        column?: string | undefined;
        /** The number of the page, slide or sheet, from 1. */
        page?: number | undefined;
        /** Where the quote begins in the text of its place, in UTF-16 code units. */
        from?: number | undefined;
        /** Where the quote ends in the text of its place. */
        to?: number | undefined;
        /** Who looked at value and quote a second time; absent if nobody did. */
        looked_by?: 'same_model' | 'verify_model' | undefined;
      }>;
      /** Which words or position speak for the value, or why there is none. */
      reason: string;
      /** Values that were found and not taken, the likeliest first; also the value that is not accepted. */
      candidates: Array<{
        /** Another value that was found and not taken. */
        value: string | number | boolean;
        /** Where the other value stands. */
        basis: {
          /** The number of the document, from 1, as the results list their documents. */
          document: number;
          /** Where the quote stands, such as `page 2` or `sheet Costs`. */
          place: string;
          /** At most 300 characters of the document, word for word; in a table its row. */
          quote: string;
          /** In a table: the head of the column of the value. */
          column?: string | undefined;
          /** The number of the page, slide or sheet, from 1. */
          page?: number | undefined;
          /** Where the quote begins in the text of its place, in UTF-16 code units. */
          from?: number | undefined;
          /** Where the quote ends in the text of its place. */
          to?: number | undefined;
          /** Who looked at value and quote a second time; absent if nobody did. */
          looked_by?: 'same_model' | 'verify_model' | undefined;
        };
        /** Which words or position speak for the other value. */
        reason: string;
      }>;
    }> | undefined;
    /** What the record was read from. */
    documents?: Array<{
      /** Its number in `basis`: from 1, in the order of `input.fileIds`. */
      document: number;
      /** The id of the file; null for the prompt of a task without files. */
      fileId: string | null;
      /** The name of the file, or `prompt`. */
      name: string;
    }> | undefined;
    /** Set if long lists were cut in this answer; `data.json` in the archive has all. */
    truncated?: true | undefined;
    /** A ZIP of the files that the model wrote, the results of several steps, and the record of `input.outputSchema`; absent if there are none. */
    archive?: Archive | undefined;
  } | undefined;
  /** Parts of the request that had no effect, a second model that answered, and scripts that a saved PDF cannot show, one text each; absent if there are none. */
  warnings?: string[] | undefined;
  /** Tokens of all model calls of the task; absent if it called no model. */
  usage?: TokenUsage | undefined;
  /** The beginning of the prompt; only with `include=title`, null if the prompt is gone. */
  title?: string | null | undefined;
};

export type TaskPage = {
  /** The newest first; with a filter a page may hold fewer than `limit` although more follow. */
  tasks: TaskInList[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  nextCursor: string | null;
};

export type Workflow = {
  /** The id that tasks name in `input.workflowIds`. */
  workflowId: string;
  /** How the operator named the workflow; tasks refer to it by id. */
  name: string;
  /** Starts at 1 and rises with each change; a task keeps the version it was submitted with. */
  version: number;
  /** When the workflow was created, in UTC. */
  createdAt: string;
  /** When the operator changed the workflow last, in UTC. */
  updatedAt: string;
  /** The names of its steps, in the order in which they run. */
  steps: string[];
};

export type WorkflowPage = {
  /** The workflows of the organization, the oldest first. */
  workflows: Workflow[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  nextCursor: string | null;
};

export type Ruleset = {
  /** The id that tasks name in `input.rulesetIds`. */
  rulesetId: string;
  /** How the operator named the ruleset; tasks refer to it by id. */
  name: string;
  /** Starts at 1 and rises with each change; a task keeps the version it was submitted with. */
  version: number;
  /** When the ruleset was created, in UTC. */
  createdAt: string;
  /** When the operator changed the ruleset last, in UTC. */
  updatedAt: string;
  /** The length of its rules in characters, as the model gets them. */
  characters: number;
};

export type RulesetPage = {
  /** The rulesets of the organization, the oldest first. */
  rulesets: Ruleset[];
  /** Pass it as `cursor` to get the next page; null on the last page. */
  nextCursor: string | null;
};

export type TaskInput = {
  /** The id of the task that this input belongs to. */
  taskId: string;
  /** The group that the task was submitted in. */
  namespace: string | null;
  /** What the task works on, with the defaults filled in. */
  input: {
    /** The prompt as it was submitted. */
    prompt: string;
    /** The model that was named, or the default at that time. */
    model: string;
    /** The ids of the attached files; a file may have been deleted since. */
    fileIds: string[];
    /** The ids of the workflows that the steps come from. */
    workflowIds: string[];
    /** The steps of the named workflows in order, as they were at the submit. */
    steps: Array<{
      /** How the workflow calls the step. */
      name: string;
      /** What the step asks the model to do. */
      instruction: string;
    }>;
    /** How much the model reasons before it answers; absent if not given. */
    reasoningEffort?: 'minimal' | 'low' | 'medium' | 'high' | undefined;
    /** The ids of the rulesets that the model has to follow. */
    rulesetIds: string[];
    /** The schema as submitted; absent if not given. */
    outputSchema?: Record<string, unknown> | undefined;
    /** What happens to a field without a value: `null` or `fail`; absent if not given. */
    onMissing?: 'null' | 'fail' | undefined;
    /** The grades of values that are accepted, while others become null; absent if not given. */
    accept?: Array<'proven' | 'computed' | 'judged' | 'unverified'> | undefined;
  };
  /** The webhook URL that the result is posted to. */
  endpoint: string | null;
  /** The limits as submitted; absent if none was given. */
  budget?: {
    /** Tokens of input and answers together; absent if not given. */
    maxTokens?: number | undefined;
    /** How many minutes the task may be worked on; absent if not given. */
    maxMinutes?: number | undefined;
    /** US dollars that its model calls may cost; absent if not given. */
    maxUsd?: number | undefined;
  } | undefined;
};

export type WebhookAttempt = {
  /** When the attempt was sent, in UTC; null if that is not known. */
  at: string | null;
  /** How long the attempt took, in milliseconds. */
  durationMs: number;
  /** The HTTP status that the receiver returned; null without a response. */
  status: number | null;
  /** Why there was no response; null if the receiver responded with any status. */
  error: 'blocked_target' | 'unresolved' | 'unreachable' | 'tls' | 'timeout' | 'broken' | null;
  /** The first KB of the response body, as text; empty without a response. */
  answer: string;
  /** The next attempt as planned when this one ended; the value of the delivery is the current one. */
  nextAttemptAt: string | null;
};

export type Delivery = {
  /** The id of the event, which every attempt sends as `webhook-id`; deduplicate by it. */
  deliveryId: string;
  /** The URL that the event is posted to. */
  endpoint: string;
  /** `pending`: an attempt is due. `sending`: one runs. `delivered`: a 2xx came. `exhausted`: given up. */
  state: 'pending' | 'sending' | 'delivered' | 'exhausted';
  /** When the next attempt is due, in UTC; null if none is. An open circuit breaker may send earlier. */
  nextAttemptAt: string | null;
  /** The attempts that were recorded, the oldest first; empty before the first one. */
  attempts: Array<{
    /** Counts from 1; a gap is an attempt that was not recorded. */
    attempt: number;
    /** When the attempt was sent, in UTC; null if that is not known. */
    at: string | null;
    /** How long the attempt took, in milliseconds. */
    durationMs: number;
    /** The HTTP status that the receiver returned; null without a response. */
    status: number | null;
    /** Why there was no response; null if the receiver responded with any status. */
    error: 'blocked_target' | 'unresolved' | 'unreachable' | 'tls' | 'timeout' | 'broken' | null;
    /** The first KB of the response body, as text; empty without a response. */
    answer: string;
    /** The next attempt as planned when this one ended; the value of the delivery is the current one. */
    nextAttemptAt: string | null;
  }>;
};

export type Deliveries = {
  /** The events of the task, or of the newest 20 runs of a recurring one; empty before it has finished. */
  deliveries: Delivery[];
};

export type Models = {
  /** The names that a task may give as `input.model`. */
  models: string[];
  /** The model of a task that names none: the first of `models`. */
  default: string;
};

/** Tokens of all model calls of the task; absent if it called no model. */
export type TokenUsage = {
  /** The name of the model that the task used, as in `GET /models`. */
  model: string;
  /** Tokens sent to the model, over all calls and attempts of the task. */
  inputTokens: number;
  /** Tokens generated by the model, over all calls and attempts of the task. */
  outputTokens: number;
  /** The part of `inputTokens` that the provider read from its cache; 0 if it does not report that. */
  cachedInputTokens: number;
  /** The part of `outputTokens` spent on reasoning; 0 if the provider does not report it. */
  reasoningTokens: number;
  /** True if a part of the tokens is our estimate (one token for four bytes), because the provider reported none. */
  estimated: boolean;
  /** What the tokens cost at the list price of the model, in US dollars; null where no price is known. */
  costUsd: number | null;
};

export type Usage = {
  /** One entry for each of the last 30 days in UTC, days without work included. */
  days: Array<{
    /** The day in UTC, as YYYY-MM-DD. */
    date: string;
    /** Tasks of this API that were submitted on that day, among the newest 10,000. */
    tasks: number;
    /** Tokens sent to models on that day, over both APIs and all attempts. */
    inputTokens: number;
    /** Tokens generated by models on that day, over both APIs and all attempts. */
    outputTokens: number;
    /** The part of the input that providers read from their caches, where they report it. */
    cachedInputTokens: number;
    /** The part of the output spent on reasoning, where providers report it. */
    reasoningTokens: number;
    /** The part of the input that is our estimate, as the provider reported nothing: one token for four bytes. */
    estimatedInputTokens: number;
    /** The part of the output that is our estimate, as the provider reported nothing; a lower bound. */
    estimatedOutputTokens: number;
    /** What the tokens cost at the list prices of the models, in US dollars; null where a price is not known. */
    costUsd: number | null;
  }>;
  /** What the organization stores at the moment. */
  storage: {
    /** How many files are stored now; counted up to 10,000. */
    files: number;
    /** The sum of their sizes, without results and archives of tasks. */
    bytes: number;
    /** True if there are more files than are counted. */
    capped: boolean;
  };
};

export type ErrorBody = {
  /** What is wrong and what to do; the HTTP status is its type. */
  error: string;
};

export type NewFile = {
  /** A public HTTPS URL that the service fetches the file from during the call; give this or `fileName`. */
  url?: string | null | undefined;
  /** The name, with its extension, of a file that you upload to a signed URL; give this or `url`. */
  fileName?: string | null | undefined;
};

export type Upload = {
  /** The name that the file is stored and downloaded under; its extension must be an accepted type. */
  fileName: string;
  /** The media type that downloads are served with, such as `application/pdf`; at most 255 characters. */
  mimeType: string;
  /** The number of bytes that were uploaded; any other number is rejected. */
  size: number;
  /** The `storagePath` of the answer that gave the upload URL, unchanged. */
  storagePath: string;
};

export type NewTask = {
  /** How the result is delivered; it can be polled for as well. */
  delivery: {
    /** Always `webhook`; there is only this way. */
    type: 'webhook';
    /** Where and when the webhook is called. */
    config: {
      /** A public HTTPS URL that receives the finished task as a signed `POST`; `{base_url}/webhooks/discard` if you only poll. */
      endpoint: string;
      /** Always `on_finish`, which is the default: one event when the task has finished. */
      frequency?: 'on_finish' | null | undefined;
    };
  };
  /** What the model works on and with. */
  input: {
    /** Always `chat`; this API has only chat tasks. */
    type: 'chat';
    /** What the model has to do; at most 100000 characters, not only white space. */
    prompt: string;
    /** One of the names of `GET /models`; default: the first of them. Null is rejected. */
    model?: string | undefined;
    /** How much the model reasons before it answers; default: as the provider decides. */
    reasoningEffort?: 'minimal' | 'low' | 'medium' | 'high' | undefined;
    /** Ids of stored files that the model may read; at most 20, default none. */
    fileIds?: string[] | null | undefined;
    /** Ids of workflows whose steps run one after the other; at most 20, default none. */
    workflowIds?: string[] | null | undefined;
    /** Ids of rulesets that every answer has to follow; at most 20, default none. */
    rulesetIds?: string[] | null | undefined;
    /** JSON Schema (a documented subset) of the record to fill from all files, or of an array with a record of each; without files, from the prompt. */
    outputSchema?: Record<string, unknown> | null | undefined;
    /** `fail` ends the task as a failure, with its partial record, if a wanted field has no value; default: `null`. */
    onMissing?: 'null' | 'fail' | null | undefined;
    /** The statuses of fields that are good enough; a field with another one becomes null. Default: all but `unverified`. */
    accept?: Array<'proven' | 'computed' | 'judged' | 'unverified'> | null | undefined;
  };
  /** A name of your choice that groups tasks, so that lists can be filtered by it; 1 to 128 characters. */
  namespace: string;
  /** What the task may cost; above it the task fails with `BUDGET_EXCEEDED`, or with `TASK_TIMEOUT` after its minutes. */
  budget?: {
    /** Tokens of input and answers together, 1 to 1000000000; default: the limit of the organization, if it has one. */
    maxTokens?: number | null | undefined;
    /** How long the task may be worked on, 1 to 60 minutes, which is the default. */
    maxMinutes?: number | null | undefined;
    /** US dollars, 0.01 to 10000; needs a model whose price is known; default: no limit of its own. */
    maxUsd?: number | null | undefined;
  } | null | undefined;
};

export type WebhookTest = {
  /** A public HTTPS URL that receives a made-up task, signed with the secret of your organization. */
  endpoint: string;
};
