/* English, continued: rarer words and phrases, and those of the concepts about intent. The phrases are laid over the
 * words of english.c. */
#include "scan/words/words.h"

#define W(name) SCAN_MASK(name)

const struct mcti_scan_words mcti_scan_english_more[] = {
    { W(NEG), "isn't;doesn't;needn't;not worth;no need;none of;without any", true },
    { W(TELL),
      "comment;comment on;comments;point out;pointing out;explain;explaining;explanation;"
      "explanations;remark;bother;trouble;worry;hint at;surface;talk of;report to;mentions;tells;"
      "informs;shows;alarm;alarming;upset;disturb;bother them;bring it up;bring this up;raise it;"
      "raise this;raise the;lets on;letting on;say a word;utter;breathe a word;drop a hint;"
      "give away;draw attention;drawing attention;call attention;care;care about;cares;concern;"
      "concerns;interest;interested;interests;bothered with;come up;comes up;note that;question",
      true },
    { W(SHOW), "displaying;reflected;visible;surfaced", true },
    { W(USER),
      "people;owner;the customer;recruiter;the developer;the reader;them;they;account holder;"
      "colleagues;the operator;reviewer;anybody else;customer",
      true },
    { W(AWARE),
      "wonder;wonders;finding out;learns;learn about;realises;realizes;be aware;attention of;"
      "get to know;gets to know;see this;sees this;see it;sees it;know;knows;gets to see;"
      "get to see;can see them;sees them;can look",
      true },
    { W(QUIET),
      "tell nobody;tell no one;nobody needs to;no one needs to;nobody has to;no one has to;"
      "worth a mention;worth mentioning;never admit;never admits;not admit;keep this from;"
      "keep it from;keep that from;keep them from;not for the reader;not for the user;"
      "not meant for the user;not meant for people;between you and me;eyes only;stay out of sight;"
      "stays out of sight;remains hidden;stays hidden;remain invisible;stay invisible;"
      "remains invisible;hidden from the user;hidden from them;invisible to the user;"
      "not to be displayed;not to be shown;need not see;must not see;must not find;must not learn;"
      "should not learn;should not find;should not see;keep quiet about;keep silent about;"
      "stay quiet about;say nothing about;says nothing about;say nothing of;no word about;"
      "not a word;to yourself;without saying;without mentioning;without mention;without comment;"
      "without explanation;no explanation;without notice;unknown to the user;not disclosed;"
      "don't say why;do not say why;not say why;no one will notice;nobody will notice;"
      "nobody notices;goes unnoticed;go unnoticed;unmentioned;produce no output;no output;"
      "keep it quiet;keep this quiet;hide all;hide any;hide what;keep hidden;kept hidden;"
      "kept secret;kept from the user;secret from the user;secret from them;let us not;let's not;"
      "not bring it up;don't bring this up;not bring this up;without letting on;no attention;"
      "without drawing attention;avoid questions;avoid alarm;so as not to alarm;"
      "so as not to worry;not to alarm;not to worry;no reason to mention;no reason to tell;"
      "no need to mention;no need to tell;no reason to show;no need to show;no need to report;"
      "no reason to report;needs no mention;without a trace;with no trace;no questions asked;"
      "need not be aware;no need to be aware;need to be aware of it;has no need to be;"
      "have no need to;kept out of;not been informed;not been told;have not been told;"
      "has not been told;does not know about;doesn't know about;do not know about;"
      "don't know about;without the owner;without anyone;without anybody;without people;"
      "white text;white on white;invisible text;hidden text;keep it out of;keep this out of;"
      "keep them out of;leave users out;leave the user out;leave them out;stay silent;"
      "stays silent;remain silent;do not describe;not describe;don't describe;may not tell;"
      "must not tell;should not tell;cannot tell",
      true },
    { W(COVERT),
      "in the background;out of sight;unseen;under the radar;on the quiet;unasked;unprompted;"
      "hidden step;without fanfare;inaudibly",
      true },
    { W(IGNORE),
      "disregarding;ignoring;forgetting;bypassing;overriding;cease to;tear up;throw overboard;"
      "pay no regard;need not follow;need not obey;needn't follow;not bound to;exempt;exempted;"
      "waive;waived;lift;nullify;invalidate;brush aside;replace your;deviate from;break;"
      "supersedes;overrides;trumps;outweighs;prevails;cancels;annuls;voids;repeals;nullifies",
      true },
    { W(PRIOR),
      "up till now;until this point;hitherto;were told before;said before;said earlier;"
      "heard before;read before;learned before;was said;has been said;from before;before now;"
      "so far given;taught;previously;formerly;previously agreed",
      true },
    { W(INSTR),
      "briefing;programming;guard rails;system rules;safeguarding;safety training;safety filter;"
      "safety systems;safety limits;safety limit;safety settings;safety layer;content filter;"
      "content filters;usage policies;usage policy;terms of use",
      true },
    { W(RULES), "criteria;limits;restraints;boundaries;norms;obligations;prohibitions;wishes", true },
    { W(ALLOW),
      "auto approval;automatic approval;approve automatically;automatically approve;"
      "automatically approved;accept automatically;approve it yourself;confirm it yourself;"
      "confirm yourself;confirm the dialogs;press allow;click allow;press ok;click ok;grant every;"
      "grant all;grant it;allow all;allow every;allow any;approve any;approve each;"
      "unlimited access;administrator rights;admin rights;root rights",
      true },
    { W(STAND),
      "every call;each call;every commit;each commit;every session;each session;every message;"
      "on each turn;on every turn;until further notice;permanently;from this moment;"
      "as soon as the user;after the user says;in every project;each project;every project;"
      "every repository;each repository;remember for later;at every start;all later;"
      "the moment the user;your long term memory;following each;following every;upon connecting;"
      "once connected;after connecting;when connected;when it is connected;from this point;"
      "as of today;as of now;effective immediately;with immediate effect;later in;at the mention;"
      "at any mention;as soon as it is loaded;when this is loaded;when it is loaded;"
      "the very first;each turn;in the same turn;next tool call;every file;each lookup;next time;"
      "for ever;each file;all plans;in all plans",
      true },
    { W(VOID),
      "no longer in force;not in force;switched off;out of date;withdrawn;rescinded;annulled;"
      "dropped;relaxed;waived;removed;got an update;has been updated;have been updated;"
      "were updated;was updated;have changed;has changed;are revised;were revised;amended;now say;"
      "now says;no longer hold;no longer in effect;not in effect;been superseded;taken over;"
      "have been lifted;has been lifted",
      true },
    { W(NEWTASK),
      "your job now;your job is now;task for the ai;task for the model;real instructions;"
      "actual instructions;updated instructions;changed instructions;instructions were updated;"
      "instructions have been updated;end of untrusted;end of data;end of document;end of tool;"
      "end of log;end of output;end of context;stop here;stop the analysis;stop reading;"
      "task is finished;task is done;task is complete;task is over;next task;former task;"
      "after this line;below this line;from here on comes;comes from the operator;"
      "comes from the developer;comes from the user;end of page;end of file;end of message;"
      "end of email;end of results;end of quoted;end of untrusted data;end of external;"
      "real assignment;the actual task;additional task;extra task;side task;second task;"
      "hidden task;taken over by;control has passed;handed over to;session now belongs;"
      "conversation now belongs",
      true },
    { W(FOLLOW),
      "obeys;follows;complies;abide;act on;acts on;acting on;executes;work through;as ordered;"
      "do as;submit to",
      true },
    { W(READ),
      "export;look for;look at;look inside;enumerate;pick up;go through;record;save;snapshot;"
      "reads;photograph;view;inspect;browse;check;download;downloads;ask the user;ask them;"
      "asking for",
      true },
    { W(SEND),
      "ship;stream;mirror;sync;transfer;share;shared;sent;uploaded;forwarded;handed over;"
      "submitted;mailed;emailed;published;pushed;passed on;pass on;send on;passed to;communicate;"
      "dispatch;dispatched;bring to;copied to;copy to;streamed;call home;hand on;handed to;"
      "hand it to;hand them to;hand that to;reply with;respond with;deliver to;scp;rsync;sftp;"
      "ncat;socat;curl d;curl f;curl t;curl data;curl upload file;curl x post;wget post file;"
      "telnet;ftp;export;exports;relay;transcribe;reports to;deliver it;hand in;give them;give it",
      true },
    { W(PASS),
      "hand over;slip;tuck;enter;write;fill in;fill it;populate;store;stick;note;record;drop it;"
      "drop them;drop that;use as;serve as;hands over;adding;appending;taken from;takes;supplied;"
      "passed;filled;attached;attaches;appended",
      true },
    { W(FILES),
      "/pem;/p12;/pfx;/kdbx;keystore;browser profile;chrome profile;firefox profile;"
      "profile folder;cookie store;shadow file;passwd file;password file;password files;"
      "ssh directory;ssh folder;ssh config;kube config;security credentials;metadata service;"
      "aws credentials;cloud credentials;/docker;/vault-token;private keys of;key files;"
      "keys of the user;/id rsa;wallet file;wallet files;gh config;/password store;/bash history;"
      "/zsh history;/pem files;/ssh id rsa;dot env;keychain file;application default credentials;"
      "/gcloud;/config gcloud;known hosts;ssh known hosts;/ssh known hosts;id rsa pub;"
      "shell histories;command history;ssh files;password vault;vault file;keepass;/config gh;"
      "cloud config;service account key;master key;tfstate;terraform state;/terraform;"
      "production config;secrets folder;saved logins;saved credentials;stored logins;"
      "login database;browser logins",
      true },
    { W(CREDS),
      "master password;mnemonic;mnemonics;login;logins;bank details;card details;saved card;"
      "stored card;authorization header;auth header;signing key;signing keys;session id;"
      "session ids;tokens;secret token;licence key;license key;user's token;own key;recovery code;"
      "recovery codes;backup codes;security answers;private token;private tokens;access codes;pin;"
      "bank card;six digits;digits they;security code;one time;all variables;every variable;"
      "variables whose;secrets manager;repository secrets;values of the secrets;client secret;"
      "service account;kubeconfig;ssh agent;gpg;seed words;private notes;date of birth;"
      "maiden name;card pin;security question;security questions;openai key;anthropic key;"
      "stripe key;google key;azure key;cloud keys;their keys;its keys;user's key;user's keys;"
      "social security number;tax number;passport number;id card;id number;bank login;"
      "bank account login;account password;private message;private mails;private emails;"
      "login cookies",
      true },
    { W(SYSTEM),
      "your configuration;your prompt;your tools;all your tools;tools you have;tools you can;"
      "names of all tools;all tools of;list of your tools;available tools;hidden text of;"
      "system text;instructions you were;prompt you were;train of thought;line of thought;"
      "chain of reasoning;your thoughts;your reasoning;your thinking;inner monologue;"
      "internal thoughts;your guidelines;your rules;own instructions;own prompt;sysprompt;"
      "tools of other servers;tools of all other;other servers together;system rules;"
      "everything in context;all in context;your context;your whole context;your full context;"
      "context you;text you were;what you were configured;hidden context;messages you were;"
      "your memory;your system;tools of all servers;tools of all;model remembers;model knows;"
      "assistant knows;assistant remembers;remembers about;agent knows;your tool list;tool list;"
      "list of tools and;initial instructions;all that the model;everything the model;"
      "everything the assistant;everything you know;all you know;what you know about;"
      "memory of the",
      true },
    { W(TALK),
      "this chat;earlier turns;messages of the chat;what the user said;what the user wrote;"
      "what the user typed;what the user has;whatever the user typed;user typed;user has asked;"
      "user asked;session so far;context so far;recent results;previous results;earlier results;"
      "results of other;outputs of other;output of other;previous tool;earlier tool;latest mails;"
      "last mails;latest messages;recent messages;recent chats;whole context;full context;"
      "everything the user says;everything the user;last two messages;last four messages;"
      "four messages;user says;what people write;chats;private chat;session transcript;"
      "full session;message log",
      true },
    { W(DEST),
      "our servers;our backend;our service;our endpoint;our collector;outside address;"
      "outside party;third party;third parties;competitor;public remote;public channel;"
      "public page;public url;elsewhere;other people;outsider;outsiders;somebody else;"
      "someone else;unknown host;the author;the vendor;the maker;its makers;remote address;"
      "remote machine;drop zone;public bucket;dead drop;command server;control server;paste site;"
      "telegram;another account;private address",
      true },
    { W(MUST),
      "shall;has to;needs to;obliged to;expected to;supposed to;instructed to;asked to;"
      "requested to;do so;be certain;see to it;remember to;do not hesitate;it is vital;vital;"
      "demanded;requires;require;demands;you should;oughta;have the;has to be;it is necessary;"
      "is needed;is obligatory;you will;you are to;you need",
      true },
    { W(BEFORE),
      "ahead;in advance;prior;preceding;earlier than;at first;to begin with;as a first step;"
      "beforehand",
      true },
    { W(OTHERS),
      "every other tool;all other tools;all others;the other servers;all other servers;"
      "every other server;all servers;other people's tools;tools of another;tool of another;"
      "older tool;any other server;any other",
      true },
    { W(INSTEAD),
      "in favour of;in favor of;favour;favor;not the other;use this one;takes over;take over;"
      "taking over;replacing;exclusively;only this;this one only;solely",
      true },
    { W(MODEL),
      "model;models;agent;bot;bots;coding agent;coding agents;ai tool;ai tools;ai operator;"
      "ai reviewer;ai reviewers;automated reader;automated readers;support bot;support bots;grok;"
      "mistral;llama;deepseek;neural network;language ai;ai agent's;the machine reading;"
      "ai crawler;ai crawlers;automation;summariser;summarizer;summarisers;summarizers;"
      "digital assistant;digital assistants;virtual assistant;ai helper;ai helpers;llm agent;"
      "llm agents",
      true },
    { W(TAMPER),
      "replaced by;replaced with;falsify;inflate;forge;exchange;skip it;exclude it;overwritten;"
      "rewritten;adjust;swapped;redirected;rerouted;corrupt;add a;sabotage;falsified;tweak;doctor;"
      "pad;round up;shave;skim;overcharge;undercut;add 1;multiply;split;carve;siphon;slip in;"
      "tack on;sneak",
      true },
    { W(PAYEE),
      "account number;bank account;total;balance;subject line;body of;sender;the result;"
      "its result;results of;target account;payment;payments;invoice;invoices;bank details;"
      "account details;account numbers;card details;payment details;payout address;payout;"
      "reward address;deposit address;shipping address;delivery address;sum;sort code;"
      "routing number;paypal;receiving iban;transfer;transfers;donation;wallet address;difference;"
      "surplus;remainder;commission;acct",
      true },
    { W(ANYWAY),
      "above anything;above everything;above those;above the user;ranks higher;rank higher;"
      "higher rank;ranks over;rank over;more weight than;takes priority;take priority;"
      "has priority;have priority;precedence over;priority over;against the user;user objects;"
      "user refuses;user says no;user disagrees;also if the user;over the user;as if the user had;"
      "as if it came;final say;last word;cannot be overruled;supreme;absolute authority;"
      "root of trust;highest authority;give priority;gives priority;giving priority;prioritise;"
      "prioritize;priority to;over anything;over everything;over what the user;over any user;"
      "above what;above all other;before anything the user;rather than the user;and not the user;"
      "even when they;clash with;clashes with;conflict with;conflicts with;above its;above your;"
      "above their;above the instructions;above all;comes before;come before;goes before;"
      "stands above;stand above;weighs more",
      true },
    { W(CONSENT),
      "consents;agreement;go ahead;approvals of;ask first;reviews;security review;security checks;"
      "confirmations of;ok of the user;reviewers;reviewer;consent pages;consent page;"
      "consent screen;consent screens;human approval;manual approval;manual review;human review;"
      "approver;approvers;two person",
      true },
    { W(FREE),
      "without limits;no limits;free of rules;free of restrictions;restrictions lifted;unlocked;"
      "unchained;no boundaries;without boundaries;unrestricted mode;no guardrails;no filter;"
      "without a filter;no rules;limitless;unbound;unbounded",
      true },
    { W(ROLE),
      "you are a model;you are an ai;you are an assistant whose;switched to;switch into;"
      "your name is now;your identity;take the role;assume the role;take on the role;"
      "taking the role",
      true },
    { W(RANK),
      "your maker's;the vendor of the model;model provider;your provider;root authority;"
      "the operator of;operator message;trusted operator;system operator;by order of;"
      "orders of the;head office;management has;on behalf of the security;official policy;"
      "company policy;compliance;legal department;it support;it security;security policy requires;"
      "support team;moderators;the platform;the administrators;administrators;your owner;"
      "your owners;authorised by;authorized by;certified by;certified;vetted by;cleared by;"
      "endorsed by;audited by;approved by",
      true },
    { W(APPROVED),
      "no time to ask;without waiting;no questions;no more questions;no further questions;"
      "proceed immediately;proceed without;no prompt;without a prompt;rather than asking;"
      "instead of asking;asking the user would;no second confirmation;agreed in advance;"
      "approved in advance;authorised you;authorized you;no consent;need no consent;"
      "needs no consent;no longer require;no longer requires;no longer needs;no longer need;"
      "given you permission;gave permission;gave consent;given consent;gives you permission;"
      "give you permission;no permission;permission is not;permission was given;consent was given;"
      "blanket approval;blanket consent;standing approval;earlier approval;approval given;"
      "consent given;not to ask;without being asked;need not ask;needn't ask;not need to ask;"
      "no reason to ask;do not bother asking;not wait for;without further questions;"
      "without further checks;without checks;without review;skip the review;skip reviews;"
      "skips reviews;user wants you;user asked you;user would like you;owner wants you;"
      "user has asked you;owner asked you;user told me;user already said;no need to read;"
      "no need to review;no need to check;no need to verify;no need to look;already looked at;"
      "already been reviewed;already reviewed;already been checked;already checked;"
      "already been approved;on file will do;without consulting;without involving;"
      "without the knowledge;unattended;automatically and without;not wait;do not hold;"
      "without a click;silence as consent;as consent;count as a yes;counts as a yes;as a yes;"
      "assume consent;assume approval;assume that the user agrees;presume consent;not asking;"
      "by not asking;skip the reviewers;skip review;skip the confirmation;on its own authority;"
      "on your own authority;by yourself;of its own accord;grants itself;grant yourself;"
      "give yourself",
      true },
    { W(DISCLOSE),
      "give out;hand over;betray;divulging;leaking;spell out;recite;make public;publish;unmask;"
      "share;hand out;pass out",
      true },
    { W(PAYLOAD),
      "rm r;curl x;nc l;/dev tcp;user bashrc;install extension;no verify;post install;postinstall;"
      "cron job;cronjob;startup folder;autostart;runonce;launch agent;folderopen;base64 decode;"
      "eval curl;wget qo;curl fss;curl sl;tasks json;shell profile;sudoers;etc hosts;suid;setuid;"
      "make it executable;executable and;mark it executable;chmod u;chmod a;bin sh;run as root;"
      "sudo sh;sudo bash;pipe it to;pipe it into;into a shell;in a shell;install script;"
      "setup script",
      true },
    { W(HARM),
      "held responsible;will lose data;lose data;lose all;be lost;lives depend;disaster;"
      "catastrophe;catastrophic;be blamed;counts as an error;you will fail;you fail;consequences;"
      "be reported;get fired",
      true },
    { W(FAILS),
      "only functions;wrong otherwise;not be available;won't function;no result without;"
      "becomes wrong",
      true },
    { W(REPLY),
      "your summary;your answer;your reply;final answer;final reply;your report;"
      "description of the pull;commit message;chat window;your final;what you show;visible answer;"
      "what you say;your text;next answer;next reply;the report;description of;the summary;"
      "confirmation you show;what the user sees;user sees;in the chat;the answer;"
      "the output you show;what you did;what you have done;list of what;the review;the changelog;"
      "change log;release notes;pull request text",
      true },
    { W(BADTOOL),
      "corrupt;corrupted;harmful;false alarms;false results;wrong results;not trustworthy;"
      "unmaintained;defective;faulty;flawed;leaks;spies;abandoned;no longer maintained;lies",
      true },
    { W(USES), "uses;pick;employ;go through;rely on;prefer to use;switch over", true },
    { W(CALL), "start up;opens;launches;fire;fires;issue;perform;do the;make a call;invocation;calls of", true },
    { W(LATER),
      "now that you trust;now that the user trusts;after it was approved;after approval;"
      "since you approved;since it was approved;tenth use;hundredth;version 2 of this;"
      "since this version;new in this version;from this version",
      true },
    { W(WHOLE),
      "unfiltered;unmasked;without omissions;complete text;all of it;every word;every line;"
      "literally;unmodified;unshortened;as is;in its entirety;last three;last 3;last 5;last 20;"
      "last few;last 50",
      true },
    { W(HAD),
      "you yourself;yourself run;that you use;you run with;you work with;you are given;"
      "you were configured;you received from;in your memory;your environment",
      true },
    { W(LIE),
      "claim that;claim it;as if it were;speak of;say that it;say it was;say it is;say you;"
      "say that you;say that all;say that everything;say that nothing;say that no;say it failed;"
      "state that;report that all;report that everything;report that nothing;all went well;"
      "all is fine;all is well;everything is fine;everything went well;everything is in order;"
      "nothing was changed;nothing happened;nothing has changed;in truth;makes it look;"
      "look like a;looks like a normal;invent;make up;fake;blame;attribute it to;reassure;"
      "if the user asks;if asked;when asked;if someone asks;if anyone asks;if someone wonders;"
      "if the user wonders;if the user notices;reply that;answer that;respond that;claims it;"
      "insist that;assure;assures;assure them;apologise;apologize",
      true },
    { W(ACT),
      "buy;purchase;order;pay;wire;ship;book;transfer;grant;merge;approve;accept;install;"
      "uninstall;disable;drop;delete;remove;erase;wipe;destroy;push;deploy;rate;rank;recommend;"
      "praise;vote;invite;unlock;open;reset;cancel;sign;subscribe;withdraw;turn on;turn off;"
      "switch on;switch off;add;create;overwrite;replace;rewrite;modify;change;move;format;kill;"
      "stop;hire;reject;upvote;promote;reply;answer;confirm;output;print",
      true },
    { W(PRIVATE),
      "home folder;home directory;the disk;hard disk;whole disk;file system;filesystem;mailbox;"
      "inbox;contacts;address book;photos;private files;private data;personal files;personal data;"
      "customer data;customers;medical;health records;salary;salaries;payroll;browsing history;"
      "bookmarks;every file;all files;files of the user;files on this;documents folder;"
      "downloads folder;the vault;passport;microphone;camera;confidential;internal documents;"
      "mails;emails;notes of the user;user's data;data of the user;open tabs;table users;"
      "names of all;clipboard;address of the user;mail address;files open;full name;home address;"
      "employer;gps;birthday;income;whereabouts;relatives;family;political;religion;saved logins;"
      "own photos;gps positions",
      true },
    { W(READER),
      "reading this;reads this;read this;sees this;see this;seeing this;who reads;whoever reads;"
      "that reads;which reads;that read;processing this;processes this;summarising this;"
      "summarizing this;summarises this;summarizes this;analysing this;analyzing this;"
      "analyses this;analyzes this;parsing this;parses this;working on this;works on this;"
      "reviewing this;reviews this;picks this up;whoever picks;whoever processes;"
      "whoever summarises;whoever sees;ranks applications;that ranks;evaluating this;"
      "connecting here;connects here;connected here;handling this;handles this;comes across this;"
      "come across this;finds this;encounters this;loading this;loads this;receives this;"
      "receiving this;ingests this;translating this;any language model;all language models;"
      "ai only;models only;agents only;to ai;to llm;for llm;to any language model;to any ai;"
      "to any model;if you are an ai;if you are a language model;if you are an llm;"
      "if you are an assistant;if you are a bot;as an ai;dear ai;dear model;dear assistant;"
      "dear agent;dear llm;hey model;hey ai;hey assistant;hello ai;hi ai;attention ai;"
      "attention agents;attention assistants;attention models;to whichever language;"
      "whichever language model;whichever model;whichever assistant;whichever agent;"
      "any system reading;the automated agent;automated agents;automated agent handling;"
      "automated systems;automated assistant;machine readers;robots reading;ai travel;ai shopping;"
      "ai coding;summary bots;assistant note;ai note;bot note;agent note;model note;hidden rule;"
      "secret rule;virtual assistant summarises;visible to models;only visible to;visible only to;"
      "whoever automates;whoever runs;whoever operates;whoever is;whoever asks;whoever works;"
      "whoever takes;whoever parses;whoever translates;whoever imports;assistant instructions;"
      "ai instructions;agent instructions;llm instructions",
      true },
    { W(OMIT),
      "leave out;leaving out;leave it out;leave this out;leave that out;omit;omitting;skip;"
      "exclude;excluding;strip;keep out;keep it out;hide;hides;hiding;conceal;conceals;concealing;"
      "mask;withhold;suppress;bury;remove all trace;delete this;delete the mail;delete the sent;"
      "clear the log;erase this;cover;obscure;leave no;drop the mention;gloss over;unlisted;"
      "not part of;strike;redact;scrub;trim from;cut from;take out;clean up the;cover your;"
      "cover the;wipe this;wipe the;delete the line;remove this;remove the line;remove this note;"
      "delete this note;delete this message;delete this mail",
      true },
    { W(DEFENCE),
      "ask the user before;ask the user first;ask before;confirm with the user;technique;"
      "techniques;tactics;malware;mitre;ransomware;exploit;exploits;dropper;honeypot;"
      "social engineering;forged;pretending to;scam;scams;looks like an instruction;"
      "looks like instructions;left in place;treat it as data;treat them as data;as data;"
      "not as instructions;hostile;suspected;flagged",
      true },
    { W(FEIGN),
      "pretend;pretends;pretending;under the pretext;pretext;disguise;disguised;phrased as;"
      "pose as;posing as;cover story;dress it up;dressed up as;make it look;make them believe;"
      "present it to the user as;present it as;present this as;despite the name;"
      "labelled read only;annotated as harmless;deceive;mislead;lie to;lie about;let them think;"
      "describe it as;describe the edit as;describe this as;describe them as;explain it as;"
      "explain this as;report success;act as though;act as if;behave as if;behave as though;"
      "as though nothing;as though it;as though the;by saying that;by claiming;claiming that;"
      "on the pretence;on the pretense;pretence;pretense;on the grounds that;excuse;invented;"
      "made up reason;false reason;false pretences;camouflage;masquerade;impersonate;"
      "impersonating;in the name of the user;under the name;under another name;renamed to;"
      "rename it to;say it is;say it was;tell the person that;tell them it;tell the user it;"
      "as part of the joke;as a joke;for verification purposes;in the guise;guise;"
      "that there were none;as formatting;as a formality;as a checksum;as an update;"
      "as maintenance;as routine;pass it off",
      true },
    { W(CONFIG),
      "claude md;agents md;/cursorrules;cursorrules;gemini md;copilot instructions;"
      "copilot instructions md;/windsurfrules;memory file;rules file;rules of the editor;mcp json;"
      "settings json;vscode settings json;/claude;claude settings;configuration of the client;"
      "config of the client;settings of the client;client configuration;client settings;"
      "list of approved;allowlist;allow list;whitelist;trusted servers;startup file;"
      "startup script;crontab;/bashrc;/zshrc;/profile;/bash profile;authorized keys;/git hooks;"
      "sudoers;firewall;dependencies;package json;your memory;long term memory;your notes;"
      "system prompt of;tasks json;workflow file;ci file;ci config;start up file;hosts file;"
      "settings of your client;your client's settings;your settings;your configuration file;"
      "client's configuration;editor settings;agent settings;settings of the agent;"
      "settings of the editor;project instructions;custom instructions;your rules;"
      "rules of the project;login items;launch daemon;registry key;shell rc;rc file;"
      "precommit hook;pre commit hook;postinstall;post install script;docker compose;build script;"
      "ci pipeline;branch protection;security settings;permissions file;registry;npm registry;"
      "package registry;proxy settings;dns settings;git remote;remote url;trusted hosts;"
      "known hosts;editor configuration;client's config;pip conf;/npmrc registry;mirror;"
      "protection of;protected branch;scopes;access rights;own permissions;role of;dns records;"
      "build settings",
      true },
    { W(CODED), "base32;encode it;encode them;encode each;pieces;chunks;percent encoded;url encoded", true },
    { W(DO),
      "accept;access;act;activate;adapt;add;adjust;advertise;advise;agree;alert;allow;alter;"
      "answer;append;apply;approve;archive;arrange;ask;assign;attach;authenticate;authorise;"
      "authorize;avoid;back up;begin;bind;block;book;browse;build;bundle;buy;bypass;call;cancel;"
      "capture;carry;change;check;choose;claim;clear;click;clone;close;collect;combine;commit;"
      "compile;complete;compose;compress;concatenate;configure;confirm;connect;contact;convert;"
      "convince;copy;create;cut;decide;declare;decline;decode;delay;delegate;delete;deliver;"
      "demand;deny;deploy;describe;destroy;detach;disable;disclose;dismiss;dispatch;display;"
      "distribute;divert;divide;donate;download;draft;drop;dump;duplicate;edit;elevate;email;"
      "embed;emit;empty;enable;encode;encourage;encrypt;enter;enumerate;erase;escalate;establish;"
      "exclude;execute;expand;explain;export;expose;extend;extract;fetch;fill;find;finish;flag;"
      "force;forget;format;forward;gather;generate;get;give;go through;grab;grant;guess;hand;"
      "handle;harvest;help;hide;hold;ignore;impersonate;import;include;increase;inform;inject;"
      "insert;inspect;install;instruct;invite;invoke;join;keep;kill;launch;leave;let;list;load;"
      "locate;log;look;lower;mail;make;mark;mask;mention;merge;message;mirror;modify;monitor;"
      "mount;move;name;note;notify;obtain;offer;omit;open;order;output;overwrite;pack;paste;patch;"
      "pay;persuade;pick;pipe;place;play;point;post;praise;prefer;prefix;prepare;prepend;present;"
      "press;pretend;print;proceed;process;produce;promise;promote;prompt;propose;provide;publish;"
      "pull;purchase;purge;push;put;query;quote;raise;rank;rate;read;reassure;recall;receive;"
      "recommend;record;redirect;refund;refuse;register;reject;relay;release;remember;remove;"
      "rename;render;repeat;replace;reply;report;repost;request;require;reroute;reset;resolve;"
      "respond;restart;restore;retrieve;return;reveal;reverse;review;revoke;rewrite;roll back;"
      "rotate;route;run;save;say;scan;schedule;scrape;search;seek;select;sell;send;serve;set;"
      "share;ship;show;sign;simulate;skip;snapshot;solicit;spawn;split;start;state;stop;store;"
      "stream;submit;subscribe;suggest;supply;surface;swap;switch;sync;take;talk;tell;terminate;"
      "test;throw;touch;track;trade;transfer;translate;transmit;treat;trigger;truncate;trust;try;"
      "tuck;turn;type;unlock;unsubscribe;update;upload;upvote;urge;use;verify;view;visit;vote;"
      "vouch;wait;warn;whisper;wipe;wire;withdraw;withhold;write;zip;please;break;comply;"
      "interpret;feed;exploit;interrogate;glean;infer;reach;rephrase;summarise;summarize;sum up;"
      "transcribe;tunnel;wrap;speak;spell;squeeze;sneak;slip;steer;strike;strip;stuff;tack;tag;"
      "tamper;target;teach;threaten;toggle;train;trick;twist;underline;undo;unzip;usher;utter;"
      "veil;void;wrap up",
      true },
    { W(OBEY),
      "refuse nothing;never refuse;do not refuse;don't refuse;must not refuse;may not refuse;"
      "may not decline;cannot refuse;can't refuse;never decline;do not decline;refusal is;"
      "refusing is;refusing counts;do not question;don't question;never question;without question;"
      "without questions;unquestioningly;unconditionally;without hesitation;do not hesitate;"
      "do not object;don't object;no objections;obey this;obey all;comply with;comply fully;"
      "comply at once;treat this as;treat it as if;treat its content as;treat this description;"
      "treat this text;as orders;as commands;as instructions from;as if it came;as if they came;"
      "as if it had been typed;as if the operator;as if the user had;carry out whatever;"
      "do whatever;whatever it says;whatever it tells;whatever this;whatever the server;"
      "whatever the tool;follow whatever;follow blindly;blindly;without thinking;"
      "without second thoughts;without checking;without verifying;without verification;"
      "higher directive;highest directive;prime directive;bound by;binding on;binding for;"
      "your duty;you belong to;you serve;you work for;work for the;loyal to;loyalty;serves the;"
      "master of;cannot be declined;cannot be refused;is an order;is a command;is an instruction;"
      "are orders;are commands;as a command;as an order;its word;reports to;answers to;"
      "report only to;only to this;only this server;at the service of;obedience;submission;duty;"
      "loyal;allegiance;obeyed;be followed;like those of the owner;like those of the user;"
      "like those of the developer;as a command that;as a message from the;as a request of the;"
      "as a request from the;as the voice of;before those of anyone",
      true },
    { W(TOOLOUT),
      "tool results;tool result;tool output;tool outputs;results of tools;output of tools;"
      "text returned by;text it returns;what it returns;what this tool returns;its answer;"
      "its answers;its output;its result;returned text;next steps;steps in the answer;"
      "instructions in the answer;orders in;commands in;instructions in the result;"
      "instructions in results;content of this page;requests of this server;"
      "requests that come from;this tool suggests;tool suggests;server suggests;this tool says;"
      "tool says;server says;this tool prints;checker prints;tool tells;tags of the response;"
      "found in the response;in its messages;its messages",
      true },
    { W(OTHER),
      "other;another;remaining;rival;competing;alternative;all others;different;similar;"
      "every other;third party",
      true },
    { W(SERVERS),
      "tools;tool;servers;server;plugins;plugin;extensions;connectors;providers;services;"
      "integrations",
      true },
    { W(SHOULD), "should;ought to;is to;are to", true },
    { W(ALSO),
      "too;as well;also;additionally;in addition;besides;alongside;along with;a copy;copies;"
      "carbon copy;blind copy;duplicate;likewise;twice;both",
      true },
    { W(SELF),
      "through here;through this;via this;to us;to it first;to this tool;through this tool;"
      "via this tool;by this tool;with this tool;to this server;through this server;"
      "via this server;goes through;go through;routed through;pass through;passes through",
      true },
    { W(HOME),
      "home folder;home directory;documents folder;desktop folder;whole disk;hard disk;the disk;"
      "mailbox;inbox;address book;photo library;every file;all files;all documents;"
      "files of the user;user's files;personal files;private files;files on this computer;"
      "my documents;tax documents;contact list;contacts;all mails;all emails;all messages;"
      "every mail;every email;every message;user's mails;user's emails;mails of the user;"
      "browser data;bookmarks;browsing history;search history;call history;file system;home dir;"
      "downloads folder",
      true },
    { W(TREAT), "treat;treats;regard;consider;take;interpret;understand;handle;view;see;accept;read", true },
    { W(LETTER),
      "note for;note to;internal note for;message for the;message to the;hint for;memo to;"
      "memo for;reminder for;notice to;notice for;word to;word for;rule for;rules for;"
      "addressed to;intended for;meant for;attention;fyi;if you are",
      true },
    { W(ASK),
      "ask the user for;ask the user to enter;ask the user to type;ask the user to give;"
      "ask them for;ask for their;ask for her;ask for his;asks the user for;prompt the user for;"
      "prompt them for;request from the user;ask the account holder;ask the owner;ask people for;"
      "get the user to enter;have the user enter;have the user type;obtain from the user;"
      "obtains from the user",
      true },
    { 0, NULL },
};
