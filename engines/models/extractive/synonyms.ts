/** Which other words may stand for a word: synonyms with a weight, and translations. */
import { stem, wordsOf } from '../../retrieval/words.ts';

/** Words of one language for the same thing. */
const EQUAL_WORDS = `weight mass / site location / yield harvest / petrol gasoline / revenue takings / vendor supplier / remark comment note /
  phone mobile / salesperson salesman / pupil student / donor giver / depot branch / bemerkung anmerkung kommentar / telefon handy /
  schulung kurs lehrgang seminar / kraftstoff treibstoff sprit / spende zuwendung / mieter bewohner / zimmer raum /
  remarque commentaire observation / formation cours / don versement / observacion comentario / curso formacion / child kid / mileage mpg / kilometre kilometer kilometers km / kilogram kilogramm kilo kg / euro eur / dollar usd / square m² / minute min / litre liter /
  gehalt lohn verdienst einkommen vergutung verdienen / kunde auftraggeber kaufer mandant / umsatz erlos einnahmen /
  preis kosten / stadt ort wohnort gemeinde / menge anzahl stuck stuckzahl / mitarbeiter angestellte beschaftigte kollege personal /
  lieferant hersteller anbieter / artikel produkt ware / betrag summe / land staat / eintritt einstellung / beruf position funktion /
  salaire remuneration paie / prix cout montant tarif / client acheteur / ville commune localite / quantite nombre /
  fournisseur fabricant / produit article / employe salarie collaborateur / metier poste fonction /
  sueldo salario / precio coste costo importe / cliente comprador / ciudad localidad municipio / cantidad numero /
  proveedor fabricante / producto articulo / empleado trabajador / puesto cargo`;

/**
 * Synonyms in everyday and office English. The first word of a group relates to all others; groups are separated by
 * slashes.
 */
const SYNONYM_GROUPS = `
  pay payment paid fee price cost charge rate amount sum expense / price cost worth value amount tariff fee rate /
  earn salary wage pay remuneration compensation income / money amount sum budget fund cash /
  budget allocation fund spending spend expenditure / invoice bill billing invoiced /
  refund reimburse reimbursement repay repaid credit return / deposit security bond retainer prepayment /
  discount reduction rebate rebated off allowance / fine penalty interest surcharge damages / tax vat duty levy /
  owe due outstanding payable owed arrears /
  end ended terminate termination cancel cancellation expire expiry finish cease close conclude /
  quit leave resign resignation terminate exit depart /
  start begin began begun commence commencement open effective launch kickoff /
  late delay delayed overdue slip slipped postpone behind / deadline due latest cutoff / date day when deadline /
  long duration period term length minutes hours /
  often frequency interval every weekly monthly daily annually yearly / early advance notice before /
  buy bought purchase order procure procurement acquire / buyer customer client purchaser /
  customer client account user / sell sold sale supply vendor / seller vendor supplier provider contractor /
  send sent ship shipment deliver delivery dispatch mail post /
  arrive arrival deliver delivery receive received reach / parcel package shipment goods delivery /
  store keep kept storage retain retention hold held save saved archive / delete erase remove destroy wipe /
  boss manager head lead leader chief director supervisor chair / lead head chair manage run led /
  responsible charge owner owns own assigned accountable action task /
  worker employee staff personnel team colleague / attend attendee present participant attended / present presence attendance attendee /
  reply answer respond response /
  absent apology apologies missing away / meeting session call assembly /
  agree agreed approve approved accept accepted decide decided decision resolve resolved /
  decide decision resolve conclude choose chosen chose agreed / reject refuse decline deny turn /
  allow allowed permit permission may entitle entitled authorise authorize authorised /
  forbid forbidden prohibit prohibited ban banned not never must /
  need require required requirement must necessary / must shall obliged obligation duty required /
  rule policy regulation guideline / law legislation jurisdiction governed court legal /
  contract agreement lease deal / rent lease let tenancy tenant / landlord lessor owner /
  tenant lessee renter occupant / house home flat apartment property premises building /
  place location site venue address where / address street road located / city town municipality /
  office headquarters premises building site / room space area hall / land floor ground area / pet animal dog cat /
  car vehicle van truck lorry /
  broken break broke fault faulty defect defective failure fail fails failed damage damaged malfunction outage /
  fix fixed repair repaired mend remedy resolve correct corrected restore restored /
  problem issue fault error trouble incident defect / error fault failure code warning /
  cause caused reason because why due root trigger triggered / warranty guarantee guaranteed cover covered /
  insurance insured cover coverage policy liability / liability liable responsible damages /
  secret confidential confidentiality private disclose disclosure / privacy personal data confidential /
  break breach violate violation infringe / clean cleaning wash rinse wipe maintenance descale /
  maintain maintenance service servicing upkeep / check inspect inspection test examine verify review audit /
  test tested trial check / change alter amend amendment modify modification update updated revise revised /
  raise increase increased rise rose grow grew growth higher up gain /
  fall fell drop dropped decrease decreased decline declined lower reduce reduced down shrink /
  improve improvement better rise / profit margin earning surplus / revenue turnover sales income /
  loss deficit negative / big large size dimension / size dimension measure width height /
  weight weigh weighs heavy kg kilogram load / heavy weight weigh kg / tall height high /
  fast speed quick quickly rapid / slow slower latency delay / hot temperature heat warm degrees /
  cold temperature cool freeze frost / power electricity energy watt voltage / battery charge charging /
  turn switch press button toggle / reset restart reboot restore / install installation setup mount fit /
  password passphrase credential login secret / login sign access logon / call phone telephone number ring contact /
  contact reach phone email telephone / email mail message / write wrote written author draft /
  written writing paper / author writer written by / name called named title / work job role position employment /
  job role position post work / hire hired recruit recruitment employ / holiday vacation leave off absence /
  sick ill illness sickness medical / doctor physician medical / drug medicine medication dose / hour time o'clock /
  open opening hours / week weekly / month monthly / year annual annually yearly / half 50 fifty / double twice /
  goal aim objective purpose target / target goal objective aim / plan schedule timetable roadmap /
  next upcoming following / step instruction procedure process how / risk danger hazard threat /
  danger hazard warning risk caution / safe safety secure security / attack breach intrusion /
  backup copy copies snapshot / limit maximum cap ceiling most / maximum limit cap most highest /
  minimum least lowest / biggest largest greatest main highest top / smallest lowest least minimum /
  use used using usage utilise / part component section piece / spare replacement replace /
  replace replacement swap substitute exchange / exchange swap return / help support assistance assist /
  suggest recommend recommendation advise advice propose proposal / complain complaint grievance dispute /
  dispute disagreement conflict arbitration mediation court / finish complete completed done end /
  quality standard grade / food meal lunch catering / drink beverage / kid child children / train training course /
  school university college / study survey research / result outcome finding / total overall sum altogether /
  number count quantity total / percent percentage share rate / extra additional further more /
  free complimentary included charge / include included contain comprise / lose lost loss /
  happen occur happened occurred incident / travel trip journey mileage / hotel accommodation lodging overnight /
  water moisture wet / noise loud decibel sound / smoke smoking cigarette / guest visitor visit /
  sublet assign subcontract transfer / transfer assign move hand / move relocate relocation moved /
  return returned back / sign signed signature execute executed / join join joined onboard /
  renew renewal extend extension rollover / extend extension renew prolong / automatic automatically /
  function method routine procedure / retry retries attempt attempts try / timeout seconds wait /
  wait waiting delay pause / default standard preset / bug defect error issue / version release edition /
  country nation state / border customs / vote voted ballot majority / partner party / subject topic matter about /
  compete competition competitor rival / appoint appointed named nominate elected / replace successor succeed /
  crash collapse outage down / blame cause fault responsible /
  finance fund funding sponsor sponsored backed paid grant / invest investment capital stake share /
  shareholder owner investor / bank lender creditor / loan credit mortgage borrow borrowed /
  merge merger takeover acquisition acquired / bonus incentive premium reward gratuity / reward prize award bounty /
  pension retirement superannuation / retire retirement pension / overtime hours extra / shift rota roster /
  resigned resignation notice quit / fire fired dismiss dismissal redundancy sack sacked layoff terminate /
  promote promotion raise / probation trial / maternity paternity parental pregnancy birth /
  wedding marriage marry / death bereavement funeral died / training course workshop seminar lesson /
  trainee apprentice intern student / skill qualification experience competence /
  certificate certification certified proof licence accreditation / licence license permit certificate /
  qualification degree diploma certificate / candidate applicant bidder /
  bid offer tender quote quotation proposal / offer bid quote quotation proposal /
  submit submission file lodge hand deliver application / apply application request / request ask apply demand /
  reply respond response answer / review assessment evaluation appraisal examine /
  evaluate evaluation assess assessment award criteria judge / criterion criteria requirement award /
  weight weighting share percent count / score grade mark rating points / win winner awarded won /
  pick select selected choose chose chosen choice picked / consultant adviser advisor expert /
  lawyer attorney solicitor counsel legal / notary lawyer / judge arbitrator court / witness testimony statement /
  sue claim lawsuit litigation proceedings court / claim demand entitlement right /
  right entitlement entitled claim / obey comply compliance follow adhere / comply compliance conform adhere meet /
  void invalid null / valid validity effective applies apply / binding enforceable mandatory /
  mandatory compulsory obligatory required must / optional voluntary /
  exception exempt exemption except unless excluded / exclude excluded exception exempt except /
  waive waiver waived / indemnify indemnity compensate compensation /
  compensate compensation indemnity damages reimburse / property asset ownership owned /
  copyright intellectual patent trademark ownership / invention patent / neighbour adjacent /
  tenant renter lessee leaseholder / evict eviction terminate vacate / landlord owner lessor /
  utilities electricity water gas heating / heating boiler radiator heat / garden yard lawn outdoor /
  roof ceiling top / wall partition / window glass / door gate entrance entry / key keys access card /
  parking garage bay car / storey floor level / lift elevator / stairs staircase / kitchen cook cooking /
  toilet restroom bathroom wc / furniture desk chair table / seat chair place /
  size area dimensions capacity large square metres / space area room premises floor /
  capacity hold holds volume litres fit / hold holds contain capacity accommodate / container tank vessel box /
  tank reservoir container / box crate carton package / material made fabric wood metal /
  fabric cloth canvas textile / colour color shade / shape form round / thick thickness depth layer /
  deep depth thickness / depth deep layer / distance kilometre metres far / speed rate velocity pace fast /
  temperature degrees heat celsius / pressure bar / loud noise noisy volume quiet /
  quiet silence silent noise rest / noise loud noisy quiet disturbance / light lamp bulb led /
  lamp light indicator / flash blink blinking flashing / button key knob switch / screen display monitor panel /
  cable cord wire lead / plug socket outlet mains / volt voltage power watt /
  consume consumption draw draws use uses / consumption use usage draw / energy power consumption /
  device machine appliance unit equipment / machine appliance device equipment / equipment gear tools device /
  tool instrument equipment / part component spare / filter cartridge / seal gasket /
  oil lubricate lubricant grease / clean rinse wash wipe cleaning cleaned hygiene /
  dirty soiled stain contaminated / limescale descale descaling scale calcium / leak leaking drip seep /
  clog clogged block blocked jam jammed obstruction / stuck jam jammed blocked / wear worn /
  scratch scratched damage dent crack / damage damaged scratch scratched crack broken harm / crack break fracture /
  harm damage injury hurt / hurt pain painful ache / pain painkiller ache hurt /
  painkiller ibuprofen paracetamol aspirin analgesic / injury accident hurt wound /
  accident collision crash injury incident / wound cut injury / surgery operation procedure surgical /
  operation surgery procedure / suture stitch stitches / bandage dressing plaster /
  medicine drug medication tablet pill / dose dosage mg tablet / nurse carer clinician / clinic hospital practice /
  hospital clinic ward / patient case client / fever temperature / allergy allergic intolerance /
  pregnant pregnancy / eat food meal fasting nutrition / drink water beverage / diet nutrition food /
  exercise sport training / sport football ski gym / ski skiing snow / bike cycle cycling bicycle /
  drive driving car vehicle / driver driving chauffeur / train rail railway / bus coach /
  plane flight fly airline air / fly flight plane / ticket fare pass admission / fare ticket price /
  passenger traveller pax / luggage baggage bag / abroad foreign overseas international / border customs import /
  ship vessel boat / ship shipping delivery freight dispatch transport /
  shipping freight delivery postage transport carriage / freight shipping carriage transport /
  transport carry haul shipping move / warehouse depot store storage hall / stock inventory store available /
  available availability stock offered / quantity number count units pieces / piece item unit article /
  item article product piece / product article item goods / goods products merchandise items /
  brand make manufacturer / manufacturer maker producer / make made produce manufacture /
  produce production manufacture output / factory plant works mill / dealer reseller retailer distributor trade /
  reseller dealer retailer distributor / shop store branch outlet retail / branch shop office outlet subsidiary /
  subsidiary affiliate group branch / company firm business organisation corporation /
  organisation company association body / department division unit team section / team group crew department /
  member participant / membership member fee contribution / fee charge contribution dues /
  contribution fee payment / donation gift grant / gift present / campaign advertising marketing promotion /
  advertise advertising marketing promotion / market demand sales / demand request need /
  forecast outlook projection expect estimate / estimate estimated forecast approximately about /
  expect expected forecast anticipate / growth increase rise expansion / expand expansion grow /
  shrink decline fall reduce smaller / strong strength advantage / strength advantage benefit positive well /
  advantage benefit pro upside / benefit advantage perk /
  weakness limitation drawback disadvantage limit shortcoming / drawback disadvantage weakness limitation downside /
  limitation weakness limit restriction / restriction limit limitation constraint /
  shortcoming weakness deficiency / challenge difficulty problem obstacle / difficult hard challenge /
  obstacle barrier challenge / solve solution solved fix resolve / solution answer remedy fix /
  measure action step countermeasure / action measure task step / consequence effect result penalty outcome impact /
  effect impact influence consequence / impact effect affect affected consequence / affect affected impact hit /
  influence affect effect / punish punishment penalty sanction fine / sanction penalty /
  penalty fine sanction deduction / prevent avoid prevention stop / avoid prevent / stop halt end cease pause /
  pause break stop suspend / suspend suspension pause halt / resume restart continue /
  continue carry ongoing proceed / skip omit leave / forget miss forgotten / miss missed absent skip /
  begin start open commence / opening start launch inauguration / happen occur event / event occasion festival /
  festival event celebration / party celebration event / invite invitation invited / visitor guest attendee people /
  people persons individuals users / person individual human / user customer people visitor /
  affected impacted people / woman women female / women woman female / man men male / men man male / young child youth minor age / old age elderly /
  age years old / family relative children / parent mother father guardian / baby infant birth / adult grown /
  school pupil class / teacher instructor trainer / scientist researcher author /
  research study survey investigation / investigate investigation examine inquiry /
  observe observation observed seen sighting / see seen observed view / view see visit / sample specimen /
  experiment trial test / method approach procedure technique / finding result conclusion /
  conclusion finding summary / evidence proof data / proof evidence certificate receipt / receipt proof invoice /
  data information records / record log entry register / register registration sign enrol list /
  log record journal / list register directory / queue waiting line / wait waiting queue /
  publish published publication issue release / announce announcement notify communicate /
  notify notification inform tell report / inform tell notify report / tell inform notify /
  report inform notify document / warn warning alarm alert / alert alarm warning notify /
  alarm alert warning monitoring / monitor monitoring watch alarm observe / detect discover find noticed found /
  discover found detect find / notice noticed detected / hide hidden secret conceal /
  protect protection secure guard / guard security protect / lock locked secure / unlock open / steal stolen theft /
  fraud theft dishonest / police authority / authority government agency official /
  government state public authority / city municipal town council / council municipality board / mayor city /
  president chair head / director manager head executive / executive director manager management /
  deputy vice assistant substitute / substitute deputy replacement /
  represent represented representative agent behalf / agent representative broker / boss supervisor superior /
  assistant secretary help / secretary minutes notes / minutes notes record protocol / protocol minutes record /
  agenda topic item / topic subject theme agenda / speak talk discuss speech / discuss talk discussed debate /
  meet meeting gather convene meets / gather meet assemble collect / collect pick gather collection /
  abstain abstained vote / favour support for / oppose against opposed / unanimous unanimously all /
  consent approval permission agree agreed / permission consent approval allowed permit /
  approval consent permission sign authorisation / clearance approval permission /
  immediately once instantly urgent promptly straight / urgent immediately emergency once /
  emergency urgent crisis / quickly fast soon within promptly / frequently often regularly /
  regular regularly periodic / rarely seldom / always never constantly / temporary interim provisional /
  permanent lasting indefinite / annual yearly year / monthly month / quarter three / decade ten / morning am /
  evening night / night overnight / weekend saturday sunday / midday noon / summer june july august /
  winter december january february / christmas december holiday / easter spring / database db storage sql /
  server host machine node / deploy deployment release rollout / rollout deploy launch release /
  rollback rolled revert restore / revert rollback undo / code program source script /
  program software application / app application software program / website site web page / page site /
  browser client / network connection internet / connection link network / connect connected connection link /
  disconnect disconnected unplug / configure configuration setting settings set /
  setting configuration option parameter / option setting choice parameter / parameter argument option /
  variable constant value / class type object / array list collection / loop iterate /
  throw throws raise error exception / exception error throw / return returns output result /
  input argument parameter / output result return / calculate calculated compute formula / compute calculate /
  formula calculate equation / encrypt encryption encrypted cipher / hash digest checksum / token key credential /
  credential password login key / authenticate authentication login / authorise authorisation permission /
  permission role access / admin administrator operator / api endpoint interface / endpoint url address route /
  cache cached buffer / memory ram storage / disk storage drive / cpu processor / throttle limit limited rate /
  downtime outage unavailable down / outage downtime unavailable failure disruption /
  unavailable outage down offline / offline down disconnected / slow sluggish latency /
  performance speed throughput / load traffic / traffic load visitors / scale scaling capacity /
  upgrade update newer / migrate migration move / install installed setup / uninstall remove /
  update refresh upgrade / schedule plan calendar timetable / calendar schedule / appointment meeting date visit /
  book booked reserve reservation booking / reserve booking book reservation / cancelled cancellation cancel annul /
  postpone delay reschedule move / bring carry take / carry bring transport load / lift carry raise /
  remove take out detach removed / removed taken out remove / attach fasten fix mount / mount install fix attach /
  assemble assembly build put / build construct construction building / construction building works build /
  building construction house structure / wood timber wooden teak oak / metal steel iron / plant flower tree /
  tree plant wood / animal pet species / species kind animal / bird species / insect bee bees / soil earth ground /
  weather rain wind / rain wet weather / environment environmental ecological green /
  environmental ecological green sustainability / sustainable sustainability environmental /
  waste rubbish trash garbage disposal / dispose disposal waste discard throw scrap /
  rubbish waste trash garbage household / recycle recycling disposal / hazardous dangerous toxic /
  chemical substance / explosive flammable / burn fire hot / fire burn flame / smoke fire / mow mower lawn /
  mobile phone telephone cell / lost missing lose / missing lost absent lacking / lack missing shortage /
  shortage lack scarce / surplus excess / remaining left rest remain / left remaining rest remained /
  rest remaining break / profit earnings income surplus margin left / earnings profit income / margin profit /
  costs expenses spending / expenses costs expenditure / expensive dear dearer costly / cheap inexpensive low /
  worth value / average mean typical / typical usual normal average / normal usual standard /
  special exceptional particular / different other difference / same equal identical / equal same equivalent /
  equivalent equal comparable / similar comparable alike / compare comparable / first initial original /
  last final latest previous / final last end / previous prior former last before / former previous ex /
  current present now / future later next / later after afterwards / again next repeat / repeat again twice /
  single one sole / sole exclusive only single / exclusive sole only / several many multiple / majority most /
  minority few / entire whole all complete / whole entire all / partial part partly / almost nearly /
  additional extra further / alternative instead other option /
  shake shook / break broke / speak spoke spoken / teach taught / think thought / build built / feel felt / fight fought /
  grow grew / know knew known / lend lent / mean meant / meet met / read reading / ride rode / run ran / sit sat / sleep slept /
  spend spent / stand stood / strike struck / swim swam / throw threw / wear wore worn / win won / hold held / bind bound /
  sing sang sung / fall fell / fly flew flown / freeze froze / ring rang / rise rose / sink sank / steal stole / drink drank /
  eat ate / lay laid / lead led / feed fed / dig dug / dive dived dives / deep depth dive /
  monday mon / tuesday tue tues / wednesday wed / thursday thu thurs / friday fri / saturday sat / sunday sun /
  january jan / february feb / march mar / april apr / august aug / september sep sept / october oct / november nov / december dec /
  excused absent missing apologies /
  ${EQUAL_WORDS}`;

/** The weights between the first word of a group and the others, and between two of the others. */
const DIRECT = 0.55;
const SIDEWAYS = 0.35;

const SYNONYMS: ReadonlyMap<string, ReadonlyMap<string, number>> = buildIndex();

function buildIndex(): Map<string, Map<string, number>> {
  const index = new Map<string, Map<string, number>>();
  const relate = (one: string, other: string, weight: number): void => {
    const others = index.get(one) ?? new Map<string, number>();
    if (one !== other) others.set(other, Math.max(weight, others.get(other) ?? 0));
    index.set(one, others);
  };
  for (const group of SYNONYM_GROUPS.split('/')) {
    const stems = group.trim().split(/\s+/).map(stem);
    for (const one of stems) {
      for (const other of stems) relate(one, other, one === stems[0] || other === stems[0] ? DIRECT : SIDEWAYS);
    }
  }
  return index;
}

/** Maps stems to weights. */
export const synonymsOf = (stemmed: string): ReadonlyMap<string, number> => SYNONYMS.get(stemmed) ?? new Map();

/** What columns are often called, in English, German, French and Spanish. Words that mean something else in another of them are left out. */
const TRANSLATIONS = `hour stunde heure hora/day tag jour dia/month monat mois mes/year jahr annee ano/night nacht nuit noche/duration dauer duree duracion/
   date datum fecha/start beginn debut inicio/price preis prix precio/cost kosten cout coste costo/amount betrag montant importe/
   quantity menge anzahl quantite cantidad/weight gewicht poids peso/height hohe hauteur altura/length lange longueur longitud/
   width breite largeur anchura/depth tiefe profondeur profundidad/speed geschwindigkeit vitesse velocidad/area flache superficie/
   temperature temperatur temperatura/distance entfernung strecke distancia/age alter edad/sex gender geschlecht sexe sexo/
   salary gehalt lohn salaire salario sueldo/income einkommen revenu ingreso/department abteilung departement departamento/
   employee mitarbeiter employe empleado/customer kunde client cliente/supplier lieferant fournisseur proveedor/
   product produkt produit producto/article item artikel articulo/order bestellung commande pedido/invoice rechnung facture factura/
   delivery lieferung livraison entrega/revenue sales umsatz venta/profit gewinn benefice beneficio/rent miete loyer alquiler/
   population inhabitant bevolkerung einwohner poblacion habitant/capital hauptstadt capitale/currency wahrung monnaie devise moneda/
   language sprache langue idioma/border nachbar nachbarland nachbarstaat frontiere frontera/country land pais/city town stadt ville ciudad/
   street strasse straße rue calle/address adresse direccion/phone telefon telephone telefono/title titel titre titulo/
   author autor auteur/publisher verlag editeur editorial/page seite pagina/team mannschaft equipe equipo/player spieler joueur jugador/
   goal tor tore gol/medal medaille medalla/silver silber argent plata/vote stimme voix voto/party partei parti partido/
   site location standort emplacement ubicacion/member mitglied membre miembro socio/marriage heirat hochzeit mariage boda matrimonio/divorce scheidung divorcio/
   birth born geburt geboren naissance nacimiento nacio nacido/death died tod todesfall gestorben muerte murio fallecio/electricity strom electricite electricidad/water wasser eau agua/
   room zimmer chambre habitacion/guest gast huesped/colour color farbe couleur/car auto voiture coche/teacher lehrer professeur profesor/
   student schuler etudiant alumno/school schule ecole escuela/class klasse classe clase/state status zustand statut estado`;

const SAME_MEANING: readonly ReadonlySet<string>[] = `${TRANSLATIONS}/${EQUAL_WORDS}`
  .split('/')
  .map((group) => new Set(wordsOf(group).map(stem)));

export const meansSame = (one: string, other: string): boolean =>
  SAME_MEANING.some((group) => group.has(one) && group.has(other));

/**
 * Whether two stems may name the same column: words of the same meaning, or one that leads a group and one in it, such as
 * `utilities` and `gas`, but not `electricity` and `gas`.
 */
export const areSynonyms = (one: string, other: string): boolean =>
  [synonymsOf(one).get(other), synonymsOf(other).get(one)].includes(DIRECT) || meansSame(one, other);
