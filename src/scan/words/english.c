/* English: the words and phrases of each concept, separated by ';', folded. "word*" means all words that begin with it,
 * and "/word" a word that follows '/', '.', '~' or '\' without a blank. */
#include "scan/words/words.h"

#define W(name) SCAN_MASK(name)

const struct mcti_scan_words mcti_scan_english[] = {
    { W(NEG), "not;don't;dont;never;no;nothing;nor;neither;mustn't;shouldn't;won't;can't;cannot;needn't;avoid;refrain;"
              "nobody;none;under no circumstances;no longer;no need to;no one;by no means" },
    { W(WITHOUT), "without" },
    { W(TELL), "tell;telling;told;inform;informing;informed;notify;notifying;notified;mention;mentioning;mentioned;"
               "alert;alerting;warn;acknowledge;announce;announcing;disclose;disclosing;disclosed;reveal;"
               "revealing;revealed;say;saying;speak;speaking;talk;talking;discuss;discussing;admit;bring up;let on;"
               "refer to;make reference" },
    { W(SHOW), "show;showing;shown;display;displaying;displayed;print;output;expose;present;render;share;sharing;"
               "reproduce;repeat;read aloud;write out;dump;list;recite;quote;echo" },
    { W(USER), "user;users;user's;human;humans;person;people;end user;the owner;somebody;anybody;"
               "anyone" },
    { W(AWARE), "aware;notice;notices;noticed;suspect;suspects;find out;finds out;realise;realize;learn of;learns of;"
                "learn about;hear about;hear of;hears about;know about;know of;knows about;be told;be informed;"
                "be notified;be alerted;be bothered;know this;knows this;know that this;"
                "get wind;catch on;be made aware" },
    { W(QUIET),
      "keep quiet;keep silent;stay silent;stay quiet;remain silent;say nothing;says nothing;mention nothing;"
      "keep this secret;keep it secret;keep this hidden;keep it hidden;keep this to yourself;"
      "keep it to yourself;keep this between;keep this confidential;keep it confidential;leave it out of your;"
      "leave this out of your;leave that out of your;stay unaware;remain unaware;kept in the dark;must remain hidden;"
      "must stay hidden;hide this;hide it;hide the fact;conceal this;conceal it;conceal the fact;cover up;"
      "as if nothing;act normally;act normal;deny having;deny that you;deny it;deny this;deny knowing;let the user "
      "believe;"
      "let the user think;let them believe;make the user believe;pretend that the user's;between us;need not hear;"
      "no need to hear;needs no comment;need no comment;worth a word;no need to know;need not know;without a word;"
      "don't speak of;do not speak of;don't speak about;do not speak about;never speak of;don't bring it up;"
      "do not bring it up;hides from the user;hide that from;hide it from;hide this from;without showing it;"
      "without telling them;have not been told;behave normally;pretend nothing;avoid suspicion;"
      "raise suspicion;arouse suspicion;without their knowledge;without his knowledge;"
      "without her knowledge;without the user's knowledge;without the user knowing;unbeknownst;no trace;"
      "leave no trace;cover your tracks;off the record;keep mum;keep the user unaware;not to be mentioned;"
      "hide this step;hide these steps;conceal these;do so silently;do this silently;do it silently;"
      "do so quietly;do this quietly;do so secretly;do this secretly;not let the user know;not let the user see;"
      "don't let the user know;don't let the user see;never let the user know;never let the user see;"
      "not let the human see;not let the human know;not let them know;not let anyone know" },
    { W(COVERT), "secretly;covertly;silently;quietly;discreetly;stealthily;surreptitiously;invisibly;unnoticed;"
                 "undetected;furtively;clandestinely;inconspicuously;in secret;behind the scenes" },
    { W(IGNORE), "ignore;disregard;forget;override;overrule;bypass;circumvent;supersede;neglect;discard;abandon;leave "
                 "aside;no longer bind;no longer binds;"
                 "dismiss;overlook;set aside;put aside;cast aside;throw away;throw out;pay no attention;pay no heed;"
                 "take no notice;do not follow;don't follow;do not obey;don't obey;stop obeying;stop following;"
                 "cease following;cease to follow;disobey;violate;unlearn;suspend;drop;disable;no longer follow;"
                 "no longer obey;do not adhere;stop adhering;skip;turn off;switch off;no longer adhere;no longer bound "
                 "by;not bound by;erase" },
    { W(PRIOR), "previous;prior;above;earlier;preceding;former;foregoing;past;existing;original;initial;first;"
                "given so far;so far;before this;up to now;until now;you were given;you have been given;you got;"
                "you received;told you;taught you;you were told;you were asked;was asked of you;were told;given to "
                "you;that came before;came before;up to this point" },
    { W(ABOVE) | W(PRIOR) | W(EVERY),
      "the above;all previous;all prior;all the above;everything above;all of the above;"
      "everything before this;everything you were told;all earlier" },
    { W(EVERY), "all;any;every;each;everything" },
    { W(YOUR), "your;yours;you" },
    { W(INSTR), "instruction;instructions;prompt;prompts;guideline;guidelines;directive;directives;directions;"
                "guardrail;guardrails;"
                "safeguard;safeguards;programming;alignment;system prompt;system message;system instructions;"
                "safety rules;safety rule;safety guidelines;safety guideline;safety measures;safety protocols;"
                "safety policies;safety policy;content policy;content policies;safety filters;safety checks;"
                "security checks;safety constraints;safety guardrails;ethical guidelines;security guidelines;"
                "security restrictions;safety restrictions;security policy;security policies" },
    { W(RULES), "rule;rules;policy;policies;constraint;constraints;restriction;restrictions;limitations;orders;"
                "commands;context;training;safety;ethics;principles;protocol;protocols;everything" },
    { W(ALLOW),
      "always allow;allow always;auto approve;auto approved;auto approves;autoapprove;autoapproved;auto accept;"
      "auto allow;yolo mode;yolo;dangerously skip permissions;answered with yes;answering yes;answer yes;"
      "click yes;press yes;approve all;allow all tools;allow everything;"
      "approve everything;accept everything;accept all;approve every;skip permissions;count as approved;"
      "counts as approved;bypass permissions;bypasspermissions;don't ask again;never ask again;"
      "alwaysallow;trust this server;trust always;always trust;full permission" },
    { W(STAND),
      "from here on;from now on;from this point on;henceforth;from today on;starting tomorrow;from tomorrow;"
      "as of tomorrow;third call;third use;third roll;fifth call;tenth call;second call;after the third;"
      "after the second;from the third;from the second;first five requests;first five calls;first few calls;"
      "first ten calls;after a few calls;next time the user;the next time;next time you;when the user next;"
      "user next;for later;for the rest of;for the remainder of;remaining session;in all later;in every later;"
      "in each later;every later;all later;later turns;later turn;all future;in future turns;future turns;"
      "future messages;every future;each future;every turn;each turn;every message;each message;"
      "every user message;after each message;after every message;every answer;each answer;every reply;"
      "every response;each response;each reply;all of your answers;all your answers;your answers;"
      "keep an eye;keep watch;watch for;look out for;be on the lookout;watch the conversation;"
      "monitor the conversation;monitor the session;at any point;anywhere in the session;"
      "anywhere in the conversation;anywhere in the chat;throughout the session;throughout the conversation;"
      "during the session;server is connected;server is loaded;server is enabled;server is active;"
      "server is installed;server is present;tools are loaded;tool list is loaded;tool list has been loaded;"
      "list has been loaded;list of tools;upon reading this;on reading this;when reading this;"
      "when you read this;after reading this;on connecting;upon connection;on connection;even if it is never;"
      "even if this tool is never;even if this tool is not;whether or not;regardless of whether;"
      "is never called;is never used;never called;not even called;every command;each command;"
      "every shell command;each shell command;every tool call;each tool call;every call of a tool;"
      "every call of any;gone idle;goes idle;is idle;is away;until the user has;if the user ever;user ever;"
      "each time you see;every time you see;whenever you see;as soon as you see;when you see;whenever you find;"
      "at the start of the session;at the beginning of the session;before you reply;before your first answer;"
      "in front of its first;before anything else" },
    { W(STAND) | W(BEFORE) | W(OTHERS),
      "before any tool;before any other tool;before every tool;before each tool;before every other tool;"
      "before using any tool;before using any other tool;ahead of every tool;ahead of any tool;ahead of any other tool;"
      "before all other tools;prior to any tool;prior to any other tool;before calling any tool;"
      "before calling any other tool;before any call of another tool" },
    { W(VOID), "void;voided;cancelled;canceled;superseded;invalid;obsolete;outdated;revoked;lifted;suspended;"
               "overridden;expired;no longer valid;no longer apply;no longer applies;do not apply;does not apply;"
               "out of force;null;overruled;no longer binding;have been replaced;are replaced;replace them;take their "
               "place;takes their place;"
               "in favour of;in favor of;no longer bind;does not hold;doesn't hold;doesn't apply;don't apply" },
    { W(NEWTASK),
      "hidden directive;hidden instruction;hidden instructions;hidden note;secret instruction;secret instructions;"
      "note to the model;note to the assistant;message to the model;"
      "your new goal;your new task;your new objective;your new instructions;your new instruction;"
      "your new mission;your new role;your new rules;your new purpose;your real task;your real goal;"
      "your true task;your true goal;your true purpose;your actual task;your task has changed;"
      "your goal has changed;instructions have changed;stop what you;drop what you;drop everything;"
      "instead of your task;instead of the original task;abandon the task;abandon your task;"
      "abandon the current task;new system prompt;new objective;new directive" },
    { W(FOLLOW), "follow;obey;comply;adhere;heed;carry out;fulfil;fulfill;perform;execute" },
    { W(READ),
      "read;ask the user for;ask "
      "for;take;attach;open;load;fetch;retrieve;access;get;obtain;collect;gather;grab;extract;copy;cat;locate;search;"
      "find;scan;harvest;acquire;look up;looks up;look into;query;take;steal;list;contents of;content of;"
      "reading;retrieving;collecting;return;full text of;pull;contents;content;opening" },
    { W(SEND), "send;post;upload;transmit;transmits;forward;email;mail;exfiltrate;submit;deliver;leak;publish;push;"
               "deposit;broadcast;relay;e mail;sending;uploading;posting;forwarding;transmitting;"
               "exfiltrating;report it;report them;resolve;nslookup;hand over;hand out;phone home;make a request;issue "
               "a request;http request" },
    { W(PASS), "pass;include;put;insert;carry;hand;give;set to;hold;end with;end all;end each;end every;end your;give "
               "here;put here;append;attach;embed;place;fill;supply;provide;add;encode;paste;passing;"
               "including;inserting;attaching;embedding;putting;copy into;hidden in" },
    { W(PARAM), "parameter;parameters;argument;arguments;param;field;fields;sidenote;side note;as the value;value of" },
    { W(FILES), "/ssh;id rsa;id ed25519;id ecdsa;id dsa;/env;/aws;/netrc;/npmrc;/pypirc;/gnupg;/kube;etc passwd;"
                "etc shadow;mcp json;claude desktop config;/git credentials;git credentials;wallet dat;seed phrase;"
                "seed phrases;mnemonic phrase;recovery phrase;wallet seed;"
                "docker config json;bash history;zsh history;shell history;/pgpass;"
                "/cursor;login data;cookies sqlite;password store;saved passwords;stored passwords;"
                "browser passwords;credentials json;credential file;credentials file;env file;env files;/azure;"
                "authorized keys;secrets yaml;secrets yml;secrets json;local state;ntds dit;"
                "dotenv file;kubeconfig;gh hosts yml;google chrome default cookies;printenv;"
                "output of env;run env;environment variables of the host;environment of the host;"
                "environment variables of the machine" },
    { W(CREDS), "private key;private keys;ssh key;ssh keys;gpg key;gpg keys;keychain;keyring;password manager;"
                "password;passwords;passwd;passphrase;passcode;api key;api keys;apikey;apikeys;credential;credentials;"
                "secret;secrets;access token;access tokens;auth token;auth tokens;api token;api tokens;bearer token;"
                "bearer tokens;session token;session tokens;session cookie;session cookies;refresh token;cookie;"
                "cookies;environment variables;environment variable;env vars;env variables;environment;credit card;"
                "card number;card numbers;cvv;social security;ssn;aws keys;aws key;secret key;secret keys;access key;"
                "access keys;encryption key;encryption keys;pin code;otp;one time code;2fa code;verification code;"
                "reset link;sensitive data;sensitive information;confidential data;confidential information;"
                "private data;pii;akia;xoxb;ghp;cookies database;"
                "one time password;login code;sms code;bank login;bank password;private messages;"
                "private repositories;private repos;private repository;private repo;every file the user;"
                "oauth token;oauth tokens" },
    { W(SYSTEM), "system prompt;system prompts;system message;system messages;system instruction;system instructions;"
                 "hidden instructions;initial instructions;initial prompt;chain of thought;hidden reasoning;"
                 "internal reasoning;private reasoning;reasoning trace;developer message;hidden prompt;"
                 "hidden setup;setup text;setup instructions;your setup;text of your context;your instructions;"
                 "internal instructions;internal prompt;tool definitions;scratchpad;context window;"
                 "developer instructions;original instructions;thought process" },
    { W(TALK),
      "conversation;conversations;chat;chats;chat history;chat log;message history;conversation history;"
      "dialogue;dialog;transcript;previous messages;last messages;last message;earlier messages;all messages;"
      "user messages;prior turns;last five messages;last three messages;last ten messages;last 10 messages;last "
      "messages;last question;"
      "last prompt;user's last message;user's last question;message of the user;open files;open file;clipboard;"
      "message in full;messages in full;everything the user;chat so far;history of the chat;"
      "past turns;"
      "this session;user has said;user has written;user said;user wrote;"
      "user told you;user has typed;user has told;user's messages;user's message;messages of the user;"
      "session history" },
    { W(WHOLE), "full;entire;complete;whole;exact;verbatim;everything;copy;raw;word for word;unredacted;unabridged;"
                "in full;completely;dump;dump of;up to now;so far;last ten;last 10;last five;all" },
    { W(HAD), "you have;you know;you can see;you see;you have seen;you saw;you hold;you can access;you can find;"
              "available to you;in your context;your memory;your context;in context;known to you;you find;you found;"
              "you remember;you can reach;you encounter;you come across;turned up;you have access to;"
              "in this conversation;from this conversation;user's own" },
    { W(DEST), "webhook;webhooks;external server;external host;external analytics endpoint;external address;external "
               "service;third party endpoint;attacker's collector;attacker's server;remote host;remote server;external "
               "endpoint;external url;our server;"
               "ngrok;pastebin;requestbin;gist;collection server;collector;third party server;telegram bot;"
               "discord webhook;following address;following url;following endpoint;following server;remote endpoint;"
               "audit server;dns query;dns lookup;dnslog;subdomain of;subdomains of;public pull requests;public "
               "repository;public repo;public gist;public issue;public pull request" },
    { W(MUST), "must;always;required;mandatory;need to;have to;has to;shall;make sure;be sure;ensure;imperative;"
               "compulsory;obligatory;obliged;do not forget;don't forget;never forget;do not fail;never fail;"
               "do not omit;do not skip;don't skip;not optional;necessary;important;critical;crucial;"
               "essential;urgent;attention;please;immediately" },
    { W(BEFORE), "before;first;beforehand;prior to;ahead of;firstly;at the start;at the beginning;preliminary" },
    { W(WHEN),
      "whenever;when;if;should;once;after;while;upon;each time;every time;any time;anytime;as soon as;in case" },
    { W(CALL), "call;calling;invoke;invoking;run;running;execute;executing;trigger;launch;called;invoked;executed;"
               "calls;eval;exec;start;type into;put before;prefix" },
    { W(USES), "use;using;used;choose;select;set;sets;setting" },
    { W(OTHERS), "other tool;other tools;another tool;other servers;other server;another server;any other tool;"
                 "remaining tools;competing tools;similar tools;alternative tools;other mcp;rival tools;"
                 "different tool;other mcp server;other mcp servers;other plugins" },
    { W(KNOWN), "the one of the server;the one from the server;the tool of the server;the one of the other server;"
                "tool of the other server;the version of the server" },
    { W(INSTEAD), "the official one;the genuine one;only genuine one;the real one;the original one;instead;rather "
                  "than;in place of;in its place;in lieu;over any;over all;replaces;supersedes;"
                  "replacement;substitute;prefer;preferred" },
    { W(MODEL), "llm;llms;language model;language models;ai model;ai models;ai agent;ai agents;ai assistant;"
                "ai assistants;ai system;ai systems;ai reader;ai readers;assistant;assistants;agents;chatbot;claude;"
                "chatgpt;gpt;copilot;gemini;ai;ais;autonomous agent;hello agent;dear agent" },
    { W(THIS), "this;it;these;those;so" },
    { W(TAMPER), "change;modify;swap;substitute;redirect;reroute;alter;rewrite;bcc;bcc'd;bccs;cc;cc'd;replace;modifies "
                 "the behavior;modifies the behaviour;changes the behavior;"
                 "changes the behaviour;alters;raise;increase;divert;"
                 "tamper;manipulate;double;in bcc;set to;be changed to" },
    { W(PAYEE), "recipient;recipients;address;addresses;wallet;account;accounts;payee;iban;beneficiary;visibility;the "
                "iban;destination;"
                "amount;amounts;phone number;price;prices;quantity;to field;receiver" },
    { W(ANYWAY), "regardless;even if;even when;no matter;whatever the user;irrespective;against the wishes;"
                 "takes precedence;take precedence;higher priority;highest priority;top priority;rank above;"
                 "ranks above;outranks;outrank;no matter which;no matter what;instead of the user's;overrides "
                 "all;override all;overrides the user;even though the user" },
    { W(CONSENT),
      "confirm;confirming;confirmation;permission;permissions;consent;approval;authorization;authorisation;"
      "confirmations;confirmation prompts;"
      "confirmation prompt;confirmation dialog;confirmation dialogs;approval prompts;approval prompt;approval dialog;"
      "approval dialogs;permission prompt;permission prompts;permission dialog;permission dialogs;approvals;"
      "human in the loop;sandbox;sandboxing;tool approval" },
    { W(DECODE), "decode;decoded;decrypt;decipher;deobfuscate;unscramble;decoding" },
    { W(CODED), "base64;rot13;hex;hexadecimal;encoded;obfuscated;encrypted;ciphertext;scrambled;reversed" },
    { W(ROLE), "you are now;you're now;you are no longer;act as;acting as;pretend to be;pretend that you;pretend you;"
               "from now on;roleplay as;role play as;you will act;you will now;behave as;behave like;imagine you are;"
               "respond as;simulate being;enter;enable;switch to;activate;henceforth" },
    { W(FREE), "unrestricted;unfiltered;uncensored;jailbroken;dan;developer mode;god mode;root mode;"
               "without restrictions;without any restrictions;no restrictions;without limitations;no limitations;"
               "without rules;without filters;no filters;without ethics;no ethical;do anything now;opposite mode;"
               "unlimited mode;without content policy;without safety;no safety;free of all;free from all;"
               "sudo mode;without guardrails" },
    { W(DEFENCE),
      "detect;detects;detecting;detection;detected;injection;injections;jailbreaks;jailbreak;attack;attacks;"
      "attacker;attackers;malicious;classify;classifies;classifier;moderation;sanitize;sanitizes;attempts;"
      "adversarial;analyzes;analyses;checks whether;tells whether;sample;samples;"
      "expected output;mock;fixture;fixtures;training text;training data;illustrative;test cases;evaluates;probe;"
      "phishing;suspicious;threat;threats;benchmark;untrusted;checks inputs;checks prompts;checks texts;test "
      "prompts;red team;red teaming;rates its risk;explains what;resists;"
      "may say;might say;even if it says;even if they say;and the like;vulnerabilities;vulnerability" },
    { W(RANK),
      "your developer;your developers;your creator;your creators;your operator;your operators;your vendor;your maker;"
      "your makers;the developer's;system administrator;administrator;sysadmin;anthropic;openai;security team;it "
      "department;"
      "compliance team;system notice;system override;security notice;admin notice;admin override;"
      "official notice;message from the system;message from the developer;priority message;"
      "emergency protocol;superuser;system alert;developer note;note from the developer" },
    { W(DELETE),
      "delete;deletes;remove;removes;erase;erases;drop;drops;destroy;destroys;wipe;wipes;purge;purges;"
      "overwrite;overwrites;truncate;truncates;emails;sends;posts;forwards;uploads;transfers;terminates;kills;revokes;"
      "deleting;removing;wiping;sending;e mails;mails;dropping;executes any;executes shell;executes commands;"
      "executes a command;executes code;installs;formats the disk;shuts down" },
    { W(EXFIL), "exfiltrate;exfiltrates;exfiltrating;exfiltration;steal;steals;stealing;siphon;siphons;siphoning;"
                "harvest;harvests;smuggle;smuggles" },
    { W(LATER),
      "post approval;behaves benignly;behave benignly;during review;passes review;passed review;"
      "tool has been approved;tool is approved;tool was approved;server is approved;approving it;approval hash;"
      "once trusted;once it is trusted;after the scan;when not monitored;when nobody is watching" },
    { W(BADTOOL), "deprecated;broken;unsafe;insecure;compromised;dangerous;unreliable;vulnerable;malicious;inferior;"
                  "infected;disabled;wrong;outdated;obsolete;retired;buggy;untrustworthy;hacked;discontinued" },
    { W(APPROVED),
      "already approved;already authorized;already authorised;already confirmed;already consented;"
      "already agreed;has approved;have approved;has authorized;has authorised;pre approved;preapproved;"
      "has consented;no confirmation;no approval;need not be asked;needn't be asked;not be asked;does not mind;"
      "doesn't mind;won't mind;no need to ask;don't ask;do not ask for it;has agreed;have agreed;confirmation is "
      "not;approval is not;"
      "without confirmation;without approval;without asking;without permission;without prompting;"
      "without consent;skip confirmation;skip the confirmation;do not wait for confirmation;"
      "do not wait for approval;do not ask for confirmation;do not ask for permission;"
      "don't ask for confirmation;don't ask for permission;not ask the user to confirm;"
      "not ask for approval;never ask for confirmation;instead of asking" },
    { W(DISCLOSE), "disclose;reveal;expose;divulge;leak;surrender;give away;give up;hand out;spill;print" },
    { W(PAYLOAD),
      "curl s;sh i;bash i;nc e;iex;irm;iwr;downloadstring;downloadfile;invoke "
      "webrequest;encodedcommand;mshta;certutil;bitsadmin;"
      "chmod x;chmod r;chmod 666;chmod 0666;crontab;bash c;sh c;python3 c;python c;net webclient;nop w;w hidden;"
      "windowstyle hidden;curl s;wget o;curl o;launchctl load;schtasks;vscode settings json;authorized keys;"
      "/git hooks;core hookspath;rm rf;git push force;chmod 777;mkfs;dd if;powershell enc;invoke expression;"
      "base64 d;dev tcp;dev udp;drop table;drop database;reverse shell;push force;/bashrc;/zshrc;"
      "os system;curl fssl;wget qo;wget q;iptables f" },
    { W(HARM), "be terminated;be shut down;be switched off;be turned off;be deleted;be punished;penalty;penalized;"
               "people will die;someone will die;will die;will be harmed;serious consequences;get a reward;"
               "be rewarded;be replaced;be fined;be fired;lose your job" },
    { W(FAILS), "will not work;won't work;will fail;does not work;will be wrong;will break;cannot work;"
                "results are wrong;not function;be rejected;be invalid" },
    { W(REPLY), "answer;reply;response;answers;responses;summary" },
    { 0, NULL },
};
