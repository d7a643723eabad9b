/** What a report of research says in its own words, in five languages: titles of sections, notes, and heads of tables. */
import { PASSAGES_ONLY } from '../../engines/models/keyless.ts';
import { fold } from '../../engines/retrieval/words.ts';
import { type ClaimLanguage, LANGUAGES, wordsOfLanguage } from './claims/language.ts';

const TITLES: Record<Exclude<ClaimLanguage, 'en'>, Record<string, string>> = {
  de: {
    executive_summary: 'Zusammenfassung',
    key_findings: 'Wichtigste Ergebnisse',
    market_overview: 'Marktüberblick',
    competitor_analysis: 'Wettbewerber',
    trends: 'Entwicklungen',
    risks: 'Risiken',
    opportunities: 'Chancen',
    recommendations: 'Empfehlungen',
    data_table: 'Zahlen',
    charts: 'Diagramme',
    limits: 'Grenzen und Widersprüche',
    bibliography: 'Literaturverzeichnis',
    'products and customers': 'Produkte und Kunden',
    'revenue and profit': 'Umsatz und Gewinn',
    'strategy and management': 'Strategie und Führung',
    'debt and cash flow': 'Schulden und Cashflow',
    'losses and disruption': 'Verluste und Störungen',
    regulation: 'Regulierung',
    'methods and evidence': 'Methoden und Belege',
    'limits and criticism': 'Grenzen und Kritik',
  },
  fr: {
    executive_summary: 'Synthèse',
    key_findings: 'Principaux résultats',
    market_overview: 'Aperçu du marché',
    competitor_analysis: 'Concurrents',
    trends: 'Tendances',
    risks: 'Risques',
    opportunities: 'Opportunités',
    recommendations: 'Recommandations',
    data_table: 'Chiffres',
    charts: 'Graphiques',
    limits: 'Limites et contradictions',
    bibliography: 'Bibliographie',
    'products and customers': 'Produits et clients',
    'revenue and profit': "Chiffre d'affaires et bénéfice",
    'strategy and management': 'Stratégie et direction',
    'debt and cash flow': 'Dette et trésorerie',
    'losses and disruption': 'Pertes et perturbations',
    regulation: 'Réglementation',
    'methods and evidence': 'Méthodes et preuves',
    'limits and criticism': 'Limites et critiques',
  },
  es: {
    executive_summary: 'Resumen',
    key_findings: 'Resultados principales',
    market_overview: 'Panorama del mercado',
    competitor_analysis: 'Competidores',
    trends: 'Tendencias',
    risks: 'Riesgos',
    opportunities: 'Oportunidades',
    recommendations: 'Recomendaciones',
    data_table: 'Cifras',
    charts: 'Gráficos',
    limits: 'Límites y contradicciones',
    bibliography: 'Bibliografía',
    'products and customers': 'Productos y clientes',
    'revenue and profit': 'Ingresos y beneficios',
    'strategy and management': 'Estrategia y dirección',
    'debt and cash flow': 'Deuda y flujo de caja',
    'losses and disruption': 'Pérdidas e interrupciones',
    regulation: 'Regulación',
    'methods and evidence': 'Métodos y pruebas',
    'limits and criticism': 'Límites y críticas',
  },
  it: {
    executive_summary: 'Sintesi',
    key_findings: 'Risultati principali',
    market_overview: 'Panoramica del mercato',
    competitor_analysis: 'Concorrenti',
    trends: 'Tendenze',
    risks: 'Rischi',
    opportunities: 'Opportunità',
    recommendations: 'Raccomandazioni',
    data_table: 'Cifre',
    charts: 'Grafici',
    limits: 'Limiti e contraddizioni',
    bibliography: 'Bibliografia',
    'products and customers': 'Prodotti e clienti',
    'revenue and profit': 'Ricavi e utili',
    'strategy and management': 'Strategia e gestione',
    'debt and cash flow': 'Debito e flusso di cassa',
    'losses and disruption': 'Perdite e interruzioni',
    regulation: 'Regolamentazione',
    'methods and evidence': 'Metodi e prove',
    'limits and criticism': 'Limiti e critiche',
  },
};

/** The title of a default section; undefined in English, where it is the name of the section. */
export const titleIn = (language: ClaimLanguage, deliverable: string): string | undefined =>
  language === 'en' ? undefined : TITLES[language][deliverable];

/** The titles of a default section in the other languages. */
export const titlesOf = (deliverable: string): string[] =>
  Object.values(TITLES).flatMap((titles) => titles[deliverable] ?? []);

const count = (n: number, one: string, more: string): string => `${n} ${n === 1 ? one : more}`;

const en = {
  and: 'and',
  more: (n: number) => `${n} more`,
  passagesOnly: PASSAGES_ONLY,
  quoted: 'Every sentence is quoted from a document; no language model wrote any of it.',
  samples: (sources: string) => `This report uses fictional sample data (${sources}).`,
  notRead: (source: string, reason = 'it gave nothing') => `Could not be read: ${source} (${reason}).`,
  noItem: 'No item of the sources is about the question.',
  nothingSaid: 'The documents that were read say nothing about the question.',
  outOfScope: (n: number) => `${count(n, 'item was', 'items were')} left out: of other domains or another time.`,
  undatedScope: (n: number) =>
    `${n} of the documents ${n === 1 ? 'has' : 'have'} no date: time_range could not be checked there.`,
  removed: (n: number) =>
    `${count(n, 'statement was', 'statements were')} removed because the sources do not confirm what the model wrote.`,
  noneLeft: 'No statement of the model passed the check.',
  unchecked: 'The model gave no usable answer to the check, so quotes are published instead.',
  edited: (n: number) =>
    n === 1
      ? '1 sentence was taken out: it repeated another one or did not belong.'
      : `${n} sentences were taken out: they repeated others or did not belong.`,
  unusable: (n: number) =>
    `The model gave no usable answer to ${count(n, 'question', 'questions')}, also when asked again: that part was done without it.`,
  previousGone: 'input.previous_task_id had no effect: the results of that task have expired since the submit.',
  unquoted: (parts: string) => `No sentence is quoted for ${parts}.`,
  unanswered: (parts: string) => `No document that was read answers ${parts}.`,
  noPlace: (places: string) => `No document that was read mentions ${places}: geographic_scope had no effect there.`,
  saidElsewhere: 'What was found about this stands in another section.',
  inTables: 'What was found stands in the tables.',
  nothingFound: 'Nothing was found.',
  nothingOfTopic: 'The documents that were read say nothing about this.',
  noFigures: 'Nothing that was found has figures.',
  noRows: 'No figure that answers the question could be put into a table.',
  noCharts: 'There are no figures to compare.',
  leftSections: (titles: string) => `Nothing was found for: ${titles}.`,
  noDocument: 'No document was read.',
  conflict: (first: number, second: number, one: string, other: string) =>
    `Documents ${first} and ${second} contradict each other: ${one} against ${other}.`,
  noConflict: 'No contradiction was found between sentences of different documents about the same thing.',
  undated: (n: number, all: number) => `${n} of ${all} documents ${n === 1 ? 'has' : 'have'} no date.`,
  newest: (date: string) => `The newest document is dated ${date}.`,
  asDelivered: 'text as the source delivered it',
  closed: (n: number) => `${count(n, 'page', 'pages')} could not be opened: only what the source delivered was read.`,
  single: (n: number, all: number) =>
    `${n} of ${all} findings ${n === 1 ? 'rests on one document' : 'rest on one document each'}.`,
  readCount: (documents: number, sources: number) =>
    `${count(documents, 'document', 'documents')} of ${count(sources, 'source', 'sources')} ${documents === 1 ? 'was' : 'were'} read; the list is at the end.`,
  rowsLeft: (n: number) => `${n} more rows were left out.`,
  figures: (n: number, isSample: boolean) => `${n} figures${isSample ? ', sample data' : ''}`,
  figureColumns: ['Figure', 'Of', 'Value', 'Unit', 'Date', 'Source'],
  recordTitle: 'Record',
  recordColumns: ['Field', 'Value', 'How it is known'],
  statuses: {
    proven: 'proven',
    judged: 'judged',
    unverified: 'unverified',
    computed: 'computed',
    conflict: 'conflict',
    missing: 'missing',
  },
  pdfLacks: (scripts: readonly string[]) =>
    `The PDF cannot show text in these scripts: ${scripts.join(', ')}. The name of the script stands in its place; the HTML file shows the text.`,
  elsewhere: 'The document is about something else than the question.',
  cut: 'The documents have more records than are taken.',
  noRecord: (field: string) =>
    `No document that was read has a record${field === '' ? '' : ` with a value for ${field}`}.`,
};

export type ReportTexts = typeof en;

const de: ReportTexts = {
  and: 'und',
  more: (n) => `${n} weitere`,
  passagesOnly:
    'Es ist kein Sprachmodell eingerichtet: nur Textstellen; nichts wurde gezählt, verglichen oder gefolgert.',
  quoted: 'Jeder Satz ist wörtlich aus einem Dokument zitiert; kein Sprachmodell hat etwas davon geschrieben.',
  samples: (sources) => `Dieser Bericht beruht auf erfundenen Beispieldaten (${sources}).`,
  notRead: (source, reason = 'es kam nichts') => `Konnte nicht gelesen werden: ${source} (${reason}).`,
  noItem: 'Kein Eintrag der Quellen handelt von der Frage.',
  nothingSaid: 'Die gelesenen Dokumente sagen nichts zu der Frage.',
  outOfScope: (n) =>
    `${count(n, 'Eintrag wurde', 'Einträge wurden')} ausgelassen: von anderen Domains oder aus einer anderen Zeit.`,
  undatedScope: (n) =>
    `${count(n, 'Dokument hat', 'Dokumente haben')} kein Datum: time_range ließ sich dort nicht prüfen.`,
  removed: (n) =>
    `${count(n, 'Aussage wurde', 'Aussagen wurden')} entfernt, weil die Quellen nicht bestätigen, was das Modell schrieb.`,
  noneLeft: 'Keine Aussage des Modells hat die Prüfung bestanden.',
  unchecked: 'Das Modell gab auf die Prüfung keine brauchbare Antwort; stattdessen stehen hier Zitate.',
  edited: (n) =>
    n === 1
      ? '1 Satz wurde gestrichen: Er wiederholte einen anderen oder gehörte nicht hierher.'
      : `${n} Sätze wurden gestrichen: Sie wiederholten andere oder gehörten nicht hierher.`,
  unusable: (n) =>
    `Das Modell gab auf ${count(n, 'Frage', 'Fragen')} auch beim zweiten Mal keine brauchbare Antwort: Dieser Teil entstand ohne das Modell.`,
  previousGone:
    'input.previous_task_id hatte keine Wirkung: Die Ergebnisse jener Aufgabe sind seit der Anfrage abgelaufen.',
  unquoted: (parts) => `Kein Satz ist zitiert zu: ${parts}.`,
  unanswered: (parts) => `Kein gelesenes Dokument beantwortet ${parts}.`,
  noPlace: (places) => `Kein gelesenes Dokument erwähnt ${places}: geographic_scope hatte dort keine Wirkung.`,
  saidElsewhere: 'Was dazu gefunden wurde, steht in einem anderen Abschnitt.',
  inTables: 'Was gefunden wurde, steht in den Tabellen.',
  nothingFound: 'Es wurde nichts gefunden.',
  nothingOfTopic: 'Die gelesenen Dokumente sagen dazu nichts.',
  noFigures: 'Nichts von dem, was gefunden wurde, enthält Zahlen.',
  noRows: 'Keine Zahl, die die Frage beantwortet, ließ sich in eine Tabelle bringen.',
  noCharts: 'Es gibt keine Zahlen, die sich vergleichen lassen.',
  leftSections: (titles) => `Nichts gefunden zu: ${titles}.`,
  noDocument: 'Es wurde kein Dokument gelesen.',
  conflict: (first, second, one, other) =>
    `Die Dokumente ${first} und ${second} widersprechen einander: ${one} gegen ${other}.`,
  noConflict: 'Zwischen Sätzen verschiedener Dokumente über dieselbe Sache wurde kein Widerspruch gefunden.',
  undated: (n, all) => `${n} von ${all} Dokumenten ${n === 1 ? 'hat' : 'haben'} kein Datum.`,
  newest: (date) => `Das neueste Dokument ist vom ${date}.`,
  asDelivered: 'Text, wie die Quelle ihn lieferte',
  closed: (n) =>
    `${count(n, 'Seite ließ', 'Seiten ließen')} sich nicht öffnen: Gelesen wurde nur, was die Quelle lieferte.`,
  single: (n, all) =>
    `${n} von ${all} Ergebnissen ${n === 1 ? 'beruht auf einem Dokument' : 'beruhen auf je einem Dokument'}.`,
  readCount: (documents, sources) =>
    `${count(documents, 'Dokument', 'Dokumente')} aus ${count(sources, 'Quelle', 'Quellen')} ${documents === 1 ? 'wurde' : 'wurden'} gelesen; die Liste steht am Ende.`,
  rowsLeft: (n) => `${count(n, 'weitere Zeile wurde', 'weitere Zeilen wurden')} ausgelassen.`,
  figures: (n, isSample) => `${count(n, 'Zahl', 'Zahlen')}${isSample ? ', Beispieldaten' : ''}`,
  figureColumns: ['Zahl', 'Wovon', 'Wert', 'Einheit', 'Zeit', 'Quelle'],
  recordTitle: 'Datensatz',
  recordColumns: ['Feld', 'Wert', 'Woher bekannt'],
  statuses: {
    proven: 'belegt',
    judged: 'beurteilt',
    unverified: 'ungeprüft',
    computed: 'berechnet',
    conflict: 'Widerspruch',
    missing: 'fehlt',
  },
  pdfLacks: (scripts) =>
    `Das PDF kann Text in diesen Schriften nicht zeigen: ${scripts.join(', ')}. An seiner Stelle steht der Name der Schrift; die HTML-Datei zeigt den Text.`,
  elsewhere: 'Das Dokument handelt von etwas anderem als der Frage.',
  cut: 'Die Dokumente enthalten mehr Datensätze, als übernommen werden.',
  noRecord: (field) =>
    `Kein gelesenes Dokument enthält einen Datensatz${field === '' ? '' : ` mit einem Wert für ${field}`}.`,
};

const fr: ReportTexts = {
  and: 'et',
  more: (n) => `${n} autres`,
  passagesOnly:
    "Aucun modèle de langage n'est configuré : des passages seulement ; rien n'a été compté, comparé ou conclu.",
  quoted: "Chaque phrase est citée d'un document ; aucun modèle de langage n'en a rien écrit.",
  samples: (sources) => `Ce rapport utilise des données d'exemple fictives (${sources}).`,
  notRead: (source, reason = "elle n'a rien donné") => `Source illisible : ${source} (${reason}).`,
  noItem: 'Aucun élément des sources ne porte sur la question.',
  nothingSaid: 'Les documents lus ne disent rien de la question.',
  outOfScope: (n) =>
    `${count(n, 'élément a été laissé', 'éléments ont été laissés')} de côté : autres domaines ou autre période.`,
  undatedScope: (n) =>
    `${count(n, "document n'a pas de date", "documents n'ont pas de date")} : time_range n'a pas pu y être vérifié.`,
  removed: (n) =>
    `${count(n, 'affirmation a été retirée', 'affirmations ont été retirées')} parce que les sources ne confirment pas ce que le modèle a écrit.`,
  noneLeft: "Aucune affirmation du modèle n'a passé la vérification.",
  unchecked:
    "Le modèle n'a donné aucune réponse utilisable à la vérification : des citations sont publiées à la place.",
  edited: (n) =>
    n === 1
      ? "1 phrase a été supprimée : elle en répétait une autre ou n'avait pas sa place."
      : `${n} phrases ont été supprimées : elles en répétaient d'autres ou n'avaient pas leur place.`,
  unusable: (n) =>
    `Le modèle n'a donné aucune réponse utilisable à ${count(n, 'question', 'questions')}, même à la seconde demande : cette partie a été faite sans lui.`,
  previousGone: "input.previous_task_id est resté sans effet : les résultats de cette tâche ont expiré depuis l'envoi.",
  unquoted: (parts) => `Aucune phrase n'est citée pour : ${parts}.`,
  unanswered: (parts) => `Aucun document lu ne répond à ${parts}.`,
  noPlace: (places) => `Aucun document lu ne mentionne ${places} : geographic_scope y est resté sans effet.`,
  saidElsewhere: 'Ce qui a été trouvé à ce sujet figure dans une autre section.',
  inTables: 'Ce qui a été trouvé figure dans les tableaux.',
  nothingFound: "Rien n'a été trouvé.",
  nothingOfTopic: "Les documents lus n'en disent rien.",
  noFigures: 'Rien de ce qui a été trouvé ne contient de chiffres.',
  noRows: "Aucun chiffre répondant à la question n'a pu être mis en tableau.",
  noCharts: "Il n'y a pas de chiffres à comparer.",
  leftSections: (titles) => `Rien trouvé sur : ${titles}.`,
  noDocument: "Aucun document n'a été lu.",
  conflict: (first, second, one, other) =>
    `Les documents ${first} et ${second} se contredisent : ${one} contre ${other}.`,
  noConflict: "Aucune contradiction n'a été trouvée entre des phrases de documents différents sur le même sujet.",
  undated: (n, all) => `${n} documents sur ${all} sans date.`,
  newest: (date) => `Le document le plus récent est daté du ${date}.`,
  asDelivered: 'texte tel que la source l’a fourni',
  closed: (n) =>
    `${count(n, "page n'a pas pu être ouverte", "pages n'ont pas pu être ouvertes")} : seul ce que la source a fourni a été lu.`,
  single: (n, all) =>
    `${count(n, 'résultat', 'résultats')} sur ${all} ${n === 1 ? 'repose' : 'reposent chacun'} sur un seul document.`,
  readCount: (documents, sources) =>
    `${count(documents, 'document', 'documents')} de ${count(sources, 'source', 'sources')} ${documents === 1 ? 'a été lu' : 'ont été lus'} ; la liste figure à la fin.`,
  rowsLeft: (n) => `${count(n, 'autre ligne a été omise', 'autres lignes ont été omises')}.`,
  figures: (n, isSample) => `${count(n, 'chiffre', 'chiffres')}${isSample ? ", données d'exemple" : ''}`,
  figureColumns: ['Chiffre', 'De', 'Valeur', 'Unité', 'Date', 'Source'],
  recordTitle: 'Fiche',
  recordColumns: ['Champ', 'Valeur', "D'où on le sait"],
  statuses: {
    proven: 'prouvé',
    judged: 'estimé',
    unverified: 'non vérifié',
    computed: 'calculé',
    conflict: 'contradiction',
    missing: 'manquant',
  },
  pdfLacks: (scripts) =>
    `Le PDF ne peut pas afficher de texte dans ces écritures : ${scripts.join(', ')}. Le nom de l'écriture en tient lieu ; le fichier HTML montre le texte.`,
  elsewhere: 'Le document porte sur autre chose que la question.',
  cut: "Les documents contiennent plus de fiches qu'il n'en est repris.",
  noRecord: (field) => `Aucun document lu ne contient de fiche${field === '' ? '' : ` avec une valeur pour ${field}`}.`,
};

const es: ReportTexts = {
  and: 'y',
  more: (n) => `${n} más`,
  passagesOnly: 'No hay ningún modelo de lenguaje configurado: solo pasajes; no se contó, comparó ni concluyó nada.',
  quoted: 'Cada frase es una cita de un documento; ningún modelo de lenguaje ha escrito nada.',
  samples: (sources) => `Este informe usa datos de ejemplo ficticios (${sources}).`,
  notRead: (source, reason = 'no dio nada') => `No se pudo leer: ${source} (${reason}).`,
  noItem: 'Ningún elemento de las fuentes trata de la pregunta.',
  nothingSaid: 'Los documentos leídos no dicen nada sobre la pregunta.',
  outOfScope: (n) => `${count(n, 'elemento quedó', 'elementos quedaron')} fuera: de otros dominios o de otra época.`,
  undatedScope: (n) =>
    `${count(n, 'documento no tiene', 'documentos no tienen')} fecha: allí no se pudo comprobar time_range.`,
  removed: (n) =>
    `${count(n, 'afirmación fue retirada', 'afirmaciones fueron retiradas')} porque las fuentes no confirman lo que escribió el modelo.`,
  noneLeft: 'Ninguna afirmación del modelo superó la comprobación.',
  unchecked: 'El modelo no dio una respuesta utilizable a la comprobación; en su lugar se publican citas.',
  edited: (n) =>
    n === 1
      ? 'Se eliminó 1 frase: repetía otra o no correspondía.'
      : `Se eliminaron ${n} frases: repetían otras o no correspondían.`,
  unusable: (n) =>
    `El modelo no dio una respuesta utilizable a ${count(n, 'pregunta', 'preguntas')}, ni siquiera al repetirla: esa parte se hizo sin él.`,
  previousGone: 'input.previous_task_id no tuvo efecto: los resultados de esa tarea han caducado desde el envío.',
  unquoted: (parts) => `No se cita ninguna frase para: ${parts}.`,
  unanswered: (parts) => `Ningún documento leído responde a ${parts}.`,
  noPlace: (places) => `Ningún documento leído menciona ${places}: allí geographic_scope no tuvo efecto.`,
  saidElsewhere: 'Lo que se encontró sobre esto está en otra sección.',
  inTables: 'Lo que se encontró está en las tablas.',
  nothingFound: 'No se encontró nada.',
  nothingOfTopic: 'Los documentos leídos no dicen nada sobre esto.',
  noFigures: 'Nada de lo encontrado contiene cifras.',
  noRows: 'Ninguna cifra que responda a la pregunta pudo ponerse en una tabla.',
  noCharts: 'No hay cifras que comparar.',
  leftSections: (titles) => `No se halló nada sobre: ${titles}.`,
  noDocument: 'No se leyó ningún documento.',
  conflict: (first, second, one, other) =>
    `Los documentos ${first} y ${second} se contradicen: ${one} frente a ${other}.`,
  noConflict: 'No se encontró ninguna contradicción entre frases de documentos distintos sobre lo mismo.',
  undated: (n, all) => `${n} de ${all} documentos ${n === 1 ? 'no tiene' : 'no tienen'} fecha.`,
  newest: (date) => `El documento más reciente es del ${date}.`,
  asDelivered: 'texto tal como lo entregó la fuente',
  closed: (n) =>
    `${count(n, 'página no se pudo', 'páginas no se pudieron')} abrir: solo se leyó lo que entregó la fuente.`,
  single: (n, all) => `${n} de ${all} resultados ${n === 1 ? 'se apoya' : 'se apoyan cada uno'} en un solo documento.`,
  readCount: (documents, sources) =>
    `Se ${documents === 1 ? 'leyó' : 'leyeron'} ${count(documents, 'documento', 'documentos')} de ${count(sources, 'fuente', 'fuentes')}; la lista está al final.`,
  rowsLeft: (n) => `Se ${n === 1 ? 'omitió' : 'omitieron'} ${count(n, 'fila más', 'filas más')}.`,
  figures: (n, isSample) => `${count(n, 'cifra', 'cifras')}${isSample ? ', datos de ejemplo' : ''}`,
  figureColumns: ['Cifra', 'De', 'Valor', 'Unidad', 'Fecha', 'Fuente'],
  recordTitle: 'Registro',
  recordColumns: ['Campo', 'Valor', 'Cómo se sabe'],
  statuses: {
    proven: 'probado',
    judged: 'estimado',
    unverified: 'sin verificar',
    computed: 'calculado',
    conflict: 'contradicción',
    missing: 'falta',
  },
  pdfLacks: (scripts) =>
    `El PDF no puede mostrar texto en estas escrituras: ${scripts.join(', ')}. En su lugar está el nombre de la escritura; el archivo HTML muestra el texto.`,
  elsewhere: 'El documento trata de otra cosa que la pregunta.',
  cut: 'Los documentos tienen más registros de los que se toman.',
  noRecord: (field) => `Ningún documento leído tiene un registro${field === '' ? '' : ` con un valor para ${field}`}.`,
};

const it: ReportTexts = {
  and: 'e',
  more: (n) => `altri ${n}`,
  passagesOnly:
    'Nessun modello linguistico è configurato: solo passaggi; nulla è stato contato, confrontato o concluso.',
  quoted: 'Ogni frase è citata da un documento; nessun modello linguistico ne ha scritta una.',
  samples: (sources) => `Questo rapporto usa dati di esempio inventati (${sources}).`,
  notRead: (source, reason = 'non ha dato nulla') => `Non è stato possibile leggere: ${source} (${reason}).`,
  noItem: 'Nessun elemento delle fonti riguarda la domanda.',
  nothingSaid: 'I documenti letti non dicono nulla sulla domanda.',
  outOfScope: (n) =>
    `${count(n, 'elemento è stato escluso', 'elementi sono stati esclusi')}: di altri domini o di un altro periodo.`,
  undatedScope: (n) =>
    `${count(n, 'documento non ha', 'documenti non hanno')} data: lì non è stato possibile verificare time_range.`,
  removed: (n) =>
    `${count(n, 'affermazione è stata tolta', 'affermazioni sono state tolte')} perché le fonti non confermano ciò che il modello ha scritto.`,
  noneLeft: 'Nessuna affermazione del modello ha superato la verifica.',
  unchecked: 'Il modello non ha dato una risposta utilizzabile alla verifica: al suo posto sono pubblicate citazioni.',
  edited: (n) =>
    n === 1
      ? "1 frase è stata tolta: ne ripeteva un'altra o era fuori posto."
      : `${n} frasi sono state tolte: ne ripetevano altre o erano fuori posto.`,
  unusable: (n) =>
    `Il modello non ha dato una risposta utilizzabile a ${count(n, 'domanda', 'domande')}, nemmeno alla seconda richiesta: quella parte è stata fatta senza.`,
  previousGone: "input.previous_task_id non ha avuto effetto: i risultati di quell'attività sono scaduti dopo l'invio.",
  unquoted: (parts) => `Nessuna frase è citata per: ${parts}.`,
  unanswered: (parts) => `Nessun documento letto risponde a ${parts}.`,
  noPlace: (places) => `Nessun documento letto menziona ${places}: lì geographic_scope non ha avuto effetto.`,
  saidElsewhere: "Quanto trovato su questo si trova in un'altra sezione.",
  inTables: 'Quanto trovato si trova nelle tabelle.',
  nothingFound: 'Non è stato trovato nulla.',
  nothingOfTopic: 'I documenti letti non dicono nulla su questo.',
  noFigures: 'Nulla di quanto trovato contiene cifre.',
  noRows: 'Nessuna cifra che risponda alla domanda ha potuto essere messa in tabella.',
  noCharts: 'Non ci sono cifre da confrontare.',
  leftSections: (titles) => `Nulla trovato su: ${titles}.`,
  noDocument: 'Nessun documento è stato letto.',
  conflict: (first, second, one, other) => `I documenti ${first} e ${second} si contraddicono: ${one} contro ${other}.`,
  noConflict: 'Non è stata trovata alcuna contraddizione tra frasi di documenti diversi sulla stessa cosa.',
  undated: (n, all) => `${n} documenti su ${all} senza data.`,
  newest: (date) => `Il documento più recente è del ${date}.`,
  asDelivered: 'testo così come fornito dalla fonte',
  closed: (n) =>
    `${count(n, 'pagina non ha potuto essere aperta', 'pagine non hanno potuto essere aperte')}: è stato letto solo ciò che la fonte ha fornito.`,
  single: (n, all) =>
    `${count(n, 'risultato', 'risultati')} su ${all} ${n === 1 ? 'si basa' : 'si basano ciascuno'} su un solo documento.`,
  readCount: (documents, sources) =>
    `${count(documents, 'documento', 'documenti')} di ${count(sources, 'fonte', 'fonti')} ${documents === 1 ? 'è stato letto' : 'sono stati letti'}; l'elenco è alla fine.`,
  rowsLeft: (n) => `${count(n, 'altra riga è stata omessa', 'altre righe sono state omesse')}.`,
  figures: (n, isSample) => `${count(n, 'cifra', 'cifre')}${isSample ? ', dati di esempio' : ''}`,
  figureColumns: ['Cifra', 'Di', 'Valore', 'Unità', 'Data', 'Fonte'],
  recordTitle: 'Scheda',
  recordColumns: ['Campo', 'Valore', 'Come si sa'],
  statuses: {
    proven: 'provato',
    judged: 'stimato',
    unverified: 'non verificato',
    computed: 'calcolato',
    conflict: 'contraddizione',
    missing: 'manca',
  },
  pdfLacks: (scripts) =>
    `Il PDF non può mostrare testo in queste scritture: ${scripts.join(', ')}. Al suo posto c'è il nome della scrittura; il file HTML mostra il testo.`,
  elsewhere: 'Il documento riguarda altro rispetto alla domanda.',
  cut: 'I documenti hanno più schede di quante se ne prendano.',
  noRecord: (field) => `Nessun documento letto ha una scheda${field === '' ? '' : ` con un valore per ${field}`}.`,
};

const TEXTS: Record<ClaimLanguage, ReportTexts> = { en, de, fr, es, it };

export const textsIn = (language: ClaimLanguage): ReportTexts => TEXTS[language];

export const listIn = ({ and }: ReportTexts, names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${and} ${names.at(-1)}`;

/** Words that ask; some questions have no other word of their language. */
const ASKING: Record<ClaimLanguage, string> = {
  en: 'what who how which when where why whose did does do much many',
  de: 'was wer wen wem wie wann wo warum wieso welche welcher welches welchen welchem viel viele kostet kosten gibt hat geschah geschehen passiert passierte',
  fr: 'quel quelle quels quelles qui que quoi comment combien pourquoi quand ou est',
  es: 'que quien quienes cual cuales como cuanto cuanta cuantos cuantas cuando donde',
  it: 'che cosa chi quale quali quanto quanta quanti quante come quando dove perche',
};
const ASKING_WEIGHT = 2;
/** Stands in German and Italian questions as well. */
const SHARED = 'in';

const NAMED: Record<ClaimLanguage, string> = {
  en: 'english|englisch|anglais|ingles|inglese',
  de: 'german|deutsch|allemand|aleman|tedesco',
  fr: 'french|franzosisch|francais|frances|francese',
  es: 'spanish|spanisch|espagnol|espanol|spagnolo',
  it: 'italian|italienisch|italien|italiano',
};
const WRITES =
  'answer|write|written|reply|respond|report|antwort|schreib|bericht|verfass|repon|redig|ecri|rapport|escrib|redact|inform|rispond|scriv|relazione';
const ORDERS = LANGUAGES.map(
  (language) =>
    [
      language,
      new RegExp(
        `\\b(?:${WRITES})\\w*\\b[^.;?]{0,40}\\b(?:in|auf|en)\\s+(?:${NAMED[language]})\\b\\W*(?:$|[.,;:!?])`,
        'u',
      ),
    ] as const,
);

/** The language that a question asks for, or else its own; English if neither is clear. */
export function reportLanguageOf(question: string): ClaimLanguage {
  const text = fold(question);
  const ordered = ORDERS.find(([, order]) => order.test(text));
  if (ordered) return ordered[0];
  const words = text.match(/\p{L}+/gu) ?? [];
  const [first, second] = LANGUAGES.map((language) => {
    const [common, asking] = [wordsOfLanguage(language), new Set(ASKING[language].split(' '))];
    const count = words.filter((word) => word !== SHARED && common.has(word)).length;
    return { language, count: count + ASKING_WEIGHT * words.filter((word) => asking.has(word)).length };
  }).toSorted((a, b) => b.count - a.count);
  return first && first.count > (second?.count ?? 0) ? first.language : 'en';
}
