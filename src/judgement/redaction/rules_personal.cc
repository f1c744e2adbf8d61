// Rules: personal data (contacts, payment, national identification numbers), and machine addresses.
#include "judgement/redaction/national.h"
#include "judgement/redaction/rule.h"

namespace belljar::judgement::redaction {
namespace {

// An optional "number" after a name: "NHS number", "passport no.", "pps_no".
#define BJ_NUMBERED R"((?:[ _-]number|[ _-]no\.{0,1})?)"

constexpr Rule kPersonalRules[] = {
    {"e-mail", "[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9][A-Za-z0-9.-]{2,253}",
     "To: ada.lovelace+x@mail.invalid.", "user@host", Email, Case::kExact, Finder::kAtSign,
     Ending::kChecked},
    Number("payment-card",
           "9999 9999 9999 "
           "9999|9999-9999-9999-9999|9999999999999999|999999999999999|99999999999999|9999 999999 "
           "99999|9999-999999-99999",
           "card 4111 1111 1111 1111 12/27", "4111 1111 1111 1112", PaymentCard),
    EndsByCheck(Capitals("iban", "[A-Z]{2}%d{2}[A-Z0-9 ]{11,40}",
                         "IBAN DE89 3704 0044 0532 0130 00, please", "DE88 3704 0044 0532 0130 00",
                         Iban)),
    EndsByCheck(SmallLetters("iban", "[a-z]{2}%d{2}[a-z0-9 ]{11,40}",
                             "pay de89 3704 0044 0532 0130 00 now", "de88370400440532013000",
                             SmallIban)),
    Number("phone", "+*", "call +44 20 7946 0958 now", "+12345678", InternationalPhone),
    Number("phone", "(999) 999-9999|(999)999-9999|999-999-9999|999.999.9999|1-999-999-9999",
           "call (415) 555-2671", "123-456-7890", AmericanPhone),
    EndsByCheck(Named("phone", R"((?:phone|mobile|telefon|fax)%!([\(0-9][0-9 ().-]{6,20}))",
                      "Phone: 06 12 34 56 78", "phone: 12", NamedPhone)),
    EndsByCheck(Named("phone", R"(tel[.:\s]\s{0,2}([\(0-9][0-9 ().-]{6,20}))", "tel. 030 901820",
                      "tel 12", NamedPhone)),
    Number("us-social-security-number", "999-99-9999", "078-05-1120", "900-12-3456",
           UsSocialSecurity),
    Named("us-social-security-number",
          "(?:ssn|social security)" BJ_NUMBERED "%!(%d{3} ?%d{2} ?%d{4})", "SSN: 078051120",
          "ssn = 000000000", UsSocialSecurity),
    Number("us-taxpayer-number", "999-99-9999", "912-70-1234", "912-10-1234", UsTaxpayer),
    Named("us-passport", "passport" BJ_NUMBERED "%~([A-Z]?%d{8,9})", "Passport No: 512345678",
          "passport 12", Anything),
    Named("canadian-social-insurance-number",
          "(?:sin|social insurance)" BJ_NUMBERED "%!(%d{3}[ -]?%d{3}[ -]?%d{3})",
          "social insurance number 130 692 544", "sin 130 692 545", CanadianSin),
    Capitals("british-national-insurance-number", "[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]%d{6}[A-D]",
             "NI AB123456C", "GB123456A", BritishNino),
    Named("british-national-insurance-number",
          "(?:nino|national insurance|ni number)[a-z]{0,8}%~([A-Z]{2} ?%d{2} ?%d{2} ?%d{2} ?[A-D])",
          "national insurance: AB 12 34 56 C", "nino 12", BritishNino),
    Named("british-nhs-number", "nhs" BJ_NUMBERED "%!(%d{3}[ -]?%d{3}[ -]?%d{4})",
          "NHS number: 943 476 5919", "nhs 943 476 5918", BritishNhs),
    Named("irish-pps-number", "pps" BJ_NUMBERED "%!(%d{7}[A-W][A-IW]?)", "PPS: 1234567T",
          "pps 1234567A", IrishPps),
    Named("spanish-dni", "(?:dni|nif)" BJ_NUMBERED "%!(%d{8}-?[A-Z])", "DNI: 12345678Z",
          "dni 12345678A", SpanishDni),
    Capitals("spanish-nie", "[XYZ]%d{7}[A-Z]", "X1234567L", "X1234567A", SpanishDni),
    Capitals("italian-codice-fiscale", "[A-Z]{6}%d{2}[A-EHLMPRST]%d{2}[A-Z]%d{3}[A-Z]",
             "RSSMRA85T10A562S", "RSSMRA85T10A562A", ItalianCodiceFiscale),
    Number("french-nir", "9 99 99 99 999 999 99|999999999999999|9999999999999 99",
           "1 84 12 76 451 089 46", "1 84 12 76 451 089 47", FrenchNir),
    Named("german-tax-id",
          "(?:steuer-?id|steuerliche identifikationsnummer|idnr|tax id)[a-z.]{0,20}%~(%d{2} ?%d{3} "
          "?%d{3} ?%d{3})",
          "Steuer-ID: 86 095 742 719", "Steuer-ID: 86 095 742 718", GermanTaxId),
    Named(
        "german-id-card",
        "(?:personalausweis|ausweisnummer|ausweis-nr)[a-z.]{0,12}%~([CFGHJKLMNPRTVWXYZ0-9]{9}%d?)",
        "Personalausweis: T220001293", "personalausweis T220001294", GermanIdCard),
    Named("dutch-bsn", "(?:bsn|burgerservicenummer)" BJ_NUMBERED "%!(%d{9})", "BSN: 111222333",
          "bsn 111222334", DutchBsn),
    Number("belgian-national-number", "99.99.99-999.99", "85.07.30-033.28", "85.07.30-033.29",
           BelgianNationalNumber),
    Named("swedish-personnummer", "(?:personnummer|personnr|pnr)%!((?:19|20)?%d{6}[+-]?%d{4})",
          "personnummer: 811218-9876", "personnummer 811218-9875", SwedishPersonnummer),
    Number("finnish-hetu", "999999-999?", "131052-308T", "131052-308U", FinnishHetu),
    Named("norwegian-fodselsnummer", "(?:fodselsnummer|personnummer|fnr)%!(%d{6} ?%d{5})",
          "fnr: 01010750160", "fnr 01010750161", NorwegianFodselsnummer),
    Named("danish-cpr", "cpr" BJ_NUMBERED "%!(%d{6}-?%d{4})", "CPR: 070761-4285", "cpr 994761-4285",
          DanishCpr),
    Named("polish-pesel", "pesel" BJ_NUMBERED "%~(%d{11})", "PESEL: 44051401359",
          "pesel 44051401358", PolishPesel),
    Named("portuguese-nif", "(?:nif|contribuinte)" BJ_NUMBERED "%!(%d{9})", "NIF: 123456789",
          "NIF 123456788", PortugueseNif),
    Named("turkish-tckn", "(?:tckn|tc kimlik|kimlik no)[a-z]{0,4}%~(%d{11})", "TCKN: 10000000146",
          "tckn 10000000147", TurkishTckn),
    Number("brazilian-cpf", "999.999.999-99", "111.444.777-35", "111.444.777-36", BrazilianCpf),
    Named("brazilian-cpf", "cpf%!(%d{11})", "CPF: 11144477735", "cpf 11144477736", BrazilianCpf),
    Number("chilean-rut", "99.999.999-?", "12.345.678-5", "12.345.678-6", ChileanRut),
    Capitals("mexican-curp", "[A-Z]{4}%d{6}[HM][A-Z]{5}[A-Z0-9]%d", "HEGG560427MVZRRL04",
             "HEGG560427MVZRRL05", MexicanCurp),
    Named("indian-aadhaar", "(?:aadhaar|aadhar|uidai)" BJ_NUMBERED "%~(%d{4}[ -]?%d{4}[ -]?%d{4})",
          "aadhaar number 2341 2341 2346", "aadhaar 2341 2341 2345", IndianAadhaar),
    Named("indian-pan", R"(pan(?:[ _]card|[ _]no|[ _]number)?%!([A-Z]{5}%d{4}[A-Z]))",
          "PAN: ABCPE1234F", "pan = ABCDE1234F", IndianPan),
    Number("chinese-resident-id", "99999999999999999?", "11010519491231002X", "110105194912310021",
           ChineseResidentId),
    Number("korean-rrn", "999999-9999999", "900101-1234568", "900101-1234567", KoreanRrn),
    Named("south-african-id", "(?:sa id|id number|identity number|rsa id)%~(%d{13})",
          "ID number: 8001015009087", "id number 8001015009088", SouthAfricanId),
    Named("australian-tfn", "(?:tfn|tax file)" BJ_NUMBERED "%!(%d{3} ?%d{3} ?%d{3})",
          "TFN: 123 456 782", "tfn 123 456 783", AustralianTfn),
    Named(
        "date-of-birth",
        R"((?:date of birth|date_of_birth|birthdate|birthday|dob)%!(%d{1,4}[./-]%d{1,2}[./-]%d{2,4}))",
        "DOB: 1984-12-31", "dob: none", Anything),
};

constexpr Rule kMachineRules[] = {
    {"ipv4-address", R"(%d{1,3}\.%d{1,3}\.%d{1,3}\.%d{1,3})", "from 203.0.113.7:80",
     "version 1.2.3", Ipv4, Case::kExact, Finder::kDots},
    {"ipv6-address", "%X{1,4}:[0-9A-Fa-f:][0-9A-Fa-f:.]{1,40}", "at 2001:db8::1 now", "12:34:56",
     Ipv6, Case::kExact, Finder::kColons, Ending::kChecked},
    {"mac-address", "%X{2}:%X{2}:%X{2}:%X{2}:%X{2}:%X{2}", "ether 02:42:ac:11:00:02 x",
     "02:42:ac:11", Anything, Case::kExact, Finder::kColons},
};

}  // namespace

std::span<const Rule> PersonalRules() { return kPersonalRules; }
std::span<const Rule> MachineRules() { return kMachineRules; }

}  // namespace belljar::judgement::redaction
