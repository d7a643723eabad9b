/** Words that people use for one another in everyday and office English, one group a line. */
import { stem } from './stem.ts';

const GROUPS = `
  pay payment paid fee price cost charge rate amount sum expense
  price cost worth value amount tariff fee rate
  earn salary wage pay remuneration compensation income
  money amount sum budget fund cash
  budget allocation fund spending spend expenditure
  invoice bill billing invoiced
  refund reimburse reimbursement repay repaid credit return
  deposit security bond retainer prepayment
  discount reduction rebate rebated off allowance
  fine penalty interest surcharge damages
  tax vat duty levy
  owe due outstanding payable owed arrears
  end ended terminate termination cancel cancellation expire expiry finish cease close conclude
  quit leave resign resignation terminate exit depart
  start begin began begun commence commencement open effective launch kickoff
  late delay delayed overdue slip slipped postpone behind
  deadline due latest cutoff
  date day when deadline
  long duration period term length minutes hours
  often frequency interval every weekly monthly daily annually yearly
  early advance notice before
  buy bought purchase order procure procurement acquire
  buyer customer client purchaser
  customer client account user
  sell sold sale supply vendor
  seller vendor supplier provider contractor
  send sent ship shipment deliver delivery dispatch mail post
  arrive arrival deliver delivery receive received reach
  parcel package shipment goods delivery
  store keep kept storage retain retention hold held save saved archive
  delete erase remove destroy wipe
  boss manager head lead leader chief director supervisor chair
  lead head chair manage run led
  responsible charge owner owns own assigned accountable action task
  worker employee staff personnel team colleague
  attend attendee present participant attended
  absent apology apologies missing away
  meeting session call assembly
  agree agreed approve approved accept accepted decide decided decision resolve resolved
  decide decision resolve conclude choose chosen chose agreed
  reject refuse decline deny turn
  allow allowed permit permission may entitle entitled authorise authorize authorised
  forbid forbidden prohibit prohibited ban banned not never must
  need require required requirement must necessary
  must shall obliged obligation duty required
  rule policy regulation guideline
  law legislation jurisdiction governed court legal
  contract agreement lease deal
  rent lease let tenancy tenant
  landlord lessor owner
  tenant lessee renter occupant
  house home flat apartment property premises building
  place location site venue address where
  address street road located
  city town municipality
  office headquarters premises building site
  room space area hall
  land floor ground area
  pet animal dog cat
  car vehicle van truck lorry
  broken break broke fault faulty defect defective failure fail fails failed damage damaged malfunction outage
  fix fixed repair repaired mend remedy resolve correct corrected restore restored
  problem issue fault error trouble incident defect
  error fault failure code warning
  cause caused reason because why due root trigger triggered
  warranty guarantee guaranteed cover covered
  insurance insured cover coverage policy liability
  liability liable responsible damages
  secret confidential confidentiality private disclose disclosure
  privacy personal data confidential
  break breach violate violation infringe
  clean cleaning wash rinse wipe maintenance descale
  maintain maintenance service servicing upkeep
  check inspect inspection test examine verify review audit
  test tested trial check
  change alter amend amendment modify modification update updated revise revised
  raise increase increased rise rose grow grew growth higher up gain
  fall fell drop dropped decrease decreased decline declined lower reduce reduced down shrink
  improve improvement better rise
  profit margin earning surplus
  revenue turnover sales income
  loss deficit negative
  big large size dimension
  size dimension measure width height
  weight weigh weighs heavy kg kilogram load
  heavy weight weigh kg
  tall height high
  fast speed quick quickly rapid
  slow slower latency delay
  hot temperature heat warm degrees
  cold temperature cool freeze frost
  power electricity energy watt voltage
  battery charge charging
  turn switch press button toggle
  reset restart reboot restore
  install installation setup mount fit
  password passphrase credential login secret
  login sign access logon
  call phone telephone number ring contact
  contact reach phone email telephone
  email mail message
  write wrote written author draft
  written writing paper
  author writer written by
  name called named title
  work job role position employment
  job role position post work
  hire hired recruit recruitment employ
  holiday vacation leave off absence
  sick ill illness sickness medical
  doctor physician medical
  drug medicine medication dose
  hour time o'clock
  open opening hours
  week weekly
  month monthly
  year annual annually yearly
  half 50 fifty
  double twice
  goal aim objective purpose target
  target goal objective aim
  plan schedule timetable roadmap
  next upcoming following
  step instruction procedure process how
  risk danger hazard threat
  danger hazard warning risk caution
  safe safety secure security
  attack breach intrusion
  backup copy copies snapshot
  limit maximum cap ceiling most
  maximum limit cap most highest
  minimum least lowest
  biggest largest greatest main highest top
  smallest lowest least minimum
  use used using usage utilise
  part component section piece
  spare replacement replace
  replace replacement swap substitute exchange
  exchange swap return
  help support assistance assist
  suggest recommend recommendation advise advice propose proposal
  complain complaint grievance dispute
  dispute disagreement conflict arbitration mediation court
  finish complete completed done end
  quality standard grade
  food meal lunch catering
  drink beverage
  kid child children
  train training course
  school university college
  study survey research
  result outcome finding
  total overall sum altogether
  number count quantity total
  percent percentage share rate
  extra additional further more
  free complimentary included charge
  include included contain comprise
  lose lost loss
  happen occur happened occurred incident
  travel trip journey mileage
  hotel accommodation lodging overnight
  water moisture wet
  noise loud decibel sound
  smoke smoking cigarette
  guest visitor visit
  sublet assign subcontract transfer
  transfer assign move hand
  move relocate relocation moved
  return returned back
  sign signed signature execute executed
  join join joined onboard
  renew renewal extend extension rollover
  extend extension renew prolong
  automatic automatically
  function method routine procedure
  retry retries attempt attempts try
  timeout seconds wait
  wait waiting delay pause
  default standard preset
  bug defect error issue
  version release edition
  country nation state
  border customs
  vote voted ballot majority
  partner party
  subject topic matter about
  compete competition competitor rival
  appoint appointed named nominate elected
  replace successor succeed
  crash collapse outage down
  blame cause fault responsible`;

const groups: ReadonlyMap<string, ReadonlySet<string>> = indexed();

function indexed(): Map<string, Set<string>> {
  const index = new Map<string, Set<string>>();
  for (const line of GROUPS.trim().split('\n')) {
    const stems = line.trim().split(' ').map(stem);
    for (const one of stems) {
      const others = index.get(one) ?? new Set<string>();
      for (const other of stems) if (other !== one) others.add(other);
      index.set(one, others);
    }
  }
  return index;
}

/** The stems that may stand for this stem. */
export const synonymsOf = (stemmed: string): ReadonlySet<string> => groups.get(stemmed) ?? new Set();
