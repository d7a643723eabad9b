/** Words that say nothing about what a prompt looks for. */
const wordList = (text: string): string[] => text.trim().split(/\s+/);

export const STOP_WORDS: ReadonlySet<string> = new Set(
  wordList(`
    a an the this that these those and or but nor so if then else than as at by for from in into of off on onto out over
    to under up with within without about above after again against all also am any are aren be because been before
    being below between both can cannot could did didn do does doesn doing don down during each few further get gets
    got had has hasn have haven having he her here hers him his how however i im in is isn it its itself just let like ll
    may me might more most much must my no not now only other our ours own per please re s same shall she should some
    such t their theirs them there they through till too until us ve very was wasn we were what when where whether which
    while who whom whose why will won would you your yours yes
    am pm etc eg ie vs many long often far old big soon
    der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wird werden hat haben
    kann muss soll nicht kein keine mit von vom zu zum zur im am an auf aus bei fur nach uber unter vor wie was wer wen
    wem wann wo warum welche welcher welches sich es er sie wir ihr ich auch nur noch als bis durch gegen ohne um viel viele
    le la les un une des du de d l et ou mais est sont etait a ont avec sans pour par sur sous dans en au aux ce cet
    cette ces que qui quoi quel quelle quels quelles quand comment combien pourquoi ne pas plus il elle ils elles nous
    vous je se sa son ses leur leurs
    el los las una unos unas y o pero es son era fue ha han con sin para por sobre entre en al del que quien quienes
    cual cuales cuando donde cuanto cuanta cuantos cuantas como no mas su sus lo se
    il lo gli i uno e ma sono con per tra fra nel nella che chi quale quali quando dove quanto quanta quanti come non piu
    het een van voor met zijn niet wat wie waar wanneer hoeveel welke hoe op te er dat die
    os as um uma e ou mas com sem para por em no na nos nas que quem qual quais quando onde quanto quantos como nao`),
);

/** Words of asking: they tell what to do, not where to look. */
export const QUESTION_WORDS: ReadonlySet<string> = new Set(
  wordList(`
    tell give show find list name explain describe say says said state states stated mention mentions mentioned know
    want need like answer question questions document documents file files attached attachment attachments text texts
    information info detail details according exactly anything something everything someone anyone please based
    following thing things kind sort type summarize summarise summary overview compare comparison difference
    differences versus extract enumerate identify point points every
    dokument dokumente datei bitte nenne liste finde erklare fichier document veuillez liste donne trouve documento
    archivo lista dime encuentra`),
);
